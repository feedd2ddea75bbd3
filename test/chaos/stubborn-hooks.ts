/**
 * A server that pods' hooks ask under fire: to each question of a pod it says no, then breaks, then says yes. Remembers who asked when over its
 * own restarts, which keep its port.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Question {
  atMs: number;
  answer: 'no' | 'error' | 'yes';
}

const ANSWERS: readonly Question['answer'][] = ['no', 'error', 'yes'];

export class StubbornHooks {
  readonly #asked = new Map<string, Question[]>();
  #server: Server | undefined;
  #port = 0;

  static async open(): Promise<StubbornHooks> {
    const hooks = new StubbornHooks();
    await hooks.start();
    return hooks;
  }

  /** What a template asks: the question by its name, for each pod apart. */
  urlOf(question: string): string {
    return `http://127.0.0.1:${this.#port}/${question}/{{ args.PodName }}`;
  }

  async start(): Promise<void> {
    const server = createServer(({ url = '/' }, response) => this.#answer(url.slice(1), response));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Whoever asks now is cut off; until it is started nobody is answered. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  questionsOf(question: string, pod: string): readonly Question[] {
    return this.#asked.get(`${question}/${pod}`) ?? [];
  }

  #answer(path: string, response: ServerResponse): void {
    const questions = this.#asked.get(path) ?? [];
    this.#asked.set(path, questions);
    const answer = ANSWERS[questions.length] ?? 'yes';
    questions.push({ atMs: Date.now(), answer });
    if (answer === 'error') response.writeHead(500).end();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ age: answer === 'yes' ? 1 : 99 }));
  }
}
