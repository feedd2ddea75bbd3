/** What hooks ask in the tests: an HTTP server whose answers a test sets per path, and that counts the questions. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply = { value: unknown } | { status: number };

export class HookTarget {
  readonly #server: Server;
  readonly #replies = new Map<string, (question: number) => Reply>();
  readonly #questions = new Map<string, number>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '/';
      const question = this.asked(path) + 1;
      this.#questions.set(path, question);
      const reply = this.#replies.get(path)?.(question) ?? { status: 404 };
      if ('status' in reply) response.writeHead(reply.status).end();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ age: reply.value }));
    });
  }

  static async open(): Promise<HookTarget> {
    const target = new HookTarget();
    await new Promise<void>((resolve) => target.#server.listen(0, '127.0.0.1', resolve));
    return target;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `reply` is given the number of the question, from 1. */
  answer(path: string, reply: (question: number) => Reply): void {
    this.#replies.set(path, reply);
  }

  asked(path: string): number {
    return this.#questions.get(path) ?? 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
