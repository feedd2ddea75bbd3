/**
 * One HookRun to be measured, seen from all sides: an API double, a real HTTP server, the events, and what was told by
 * heartbeat. A test opens a scene of its own.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import type { EventNote } from '../../kubernetes/event-notes.ts';
import { HookRunDouble } from './hook-run-double.ts';
import { HookAgents } from './http/agents.ts';
import { type HookPorts, measureRun } from './measuring.ts';
import { SecretReader } from './secrets.ts';
import type { ShownProgress } from './types.ts';

/** The path that the server does not answer. */
const NEVER = '/never';
const NAMESPACE = 'default';
const NAME = 'canary-r2-1-drain';

export class MeasuringScene {
  readonly api = new HookRunDouble();
  readonly notes: EventNote[] = [];
  /** What was logged. */
  readonly warnings: string[] = [];
  readonly cancelling = new AbortController();
  /** What the server answers, in turn; the last one stays. A number is a status. */
  answers: (string | number)[] = ['45'];
  /** How often the server was asked. */
  asked = 0;
  told: HookRunStatus | undefined;
  nowMs: () => number = Date.now;
  readonly #agents = new HookAgents();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(({ url }, response) => {
      if (url !== NEVER) this.#answer(response);
    });
  }

  static async open(): Promise<MeasuringScene> {
    const scene = new MeasuringScene();
    await new Promise<void>((resolve) => scene.#server.listen(0, '127.0.0.1', resolve));
    return scene;
  }

  async close(): Promise<void> {
    await this.#agents.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(response: ServerResponse): void {
    const answer = this.answers[Math.min(this.asked, this.answers.length - 1)];
    this.asked += 1;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(JSON.stringify({ value: answer, age: answer }));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A metric whose question is never answered, while there is time for it. */
  never(fields: Partial<Metric> = {}): Partial<Metric> {
    return { name: 'never', provider: { web: { url: this.url + NEVER, timeoutSeconds: 60 } }, ...fields };
  }

  /** Each look at the clock takes 300 ms. */
  hurry(): void {
    let clock = Date.now();
    this.nowMs = () => {
      clock += 300;
      return clock;
    };
  }

  /** A run of a canary's step 1. Its metrics ask the server for a number above 30 where they say nothing else. */
  given(
    metrics: Partial<Metric>[],
    { args, status }: { args?: HookRunSpec['args']; status?: HookRunStatus } = {},
  ): void {
    this.api.run = {
      apiVersion: 'tkex.tencent.com/v1alpha1',
      kind: 'HookRun',
      metadata: {
        name: NAME,
        namespace: NAMESPACE,
        uid: 'u1',
        resourceVersion: '1',
        labels: { 'hookrun-type': 'canary-step', 'canary-step-index': '1', 'workload-revision': 'r2' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'GameDeployment', name: 'lobby', uid: 'w', controller: true }],
      },
      spec: { metrics: metrics.map((fields) => this.#metric(fields)), args },
      status,
    };
  }

  #metric(fields: Partial<Metric>): Metric {
    return {
      name: 'm',
      successCondition: 'asInt(result) > 30',
      provider: { web: { url: this.url, jsonPath: '{.value}' } },
      ...fields,
    };
  }

  /** One attempt. */
  measure({ uid = 'u1', shown }: { uid?: string; shown?: ShownProgress } = {}): ReturnType<typeof measureRun> {
    const recorder = { record: (note: EventNote) => void this.notes.push(note) };
    const tell = (status: HookRunStatus) => {
      this.told = structuredClone(status);
    };
    const log = { warn: (_fields: object, text: string) => void this.warnings.push(text) };
    const client = this.api.client as unknown as HookPorts['client'];
    const secrets = new SecretReader(client, () => this.nowMs());
    return measureRun(
      { client, recorder, log, nowMs: () => this.nowMs(), agents: this.#agents, kinds: new Map(), secrets },
      { namespace: NAMESPACE, name: NAME, uid, shown },
      { signal: this.cancelling.signal, told: this.told, tell },
    );
  }

  /** Of the statuses that were written, in order. */
  phases(): (string | undefined)[] {
    return this.api.writes.map(({ phase }) => phase);
  }

  events(): string[] {
    return this.notes.map(({ type, reason, note }) => `${type} ${reason} ${note}`);
  }
}
