/** HookRuns that poll, and the server that they ask: it answers at once and never well, and notes when each one came. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_VERSION, HOOK_RUN } from '../crds/api.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { Operator } from '../devstack/operator.ts';
import { hookRuns, type ResourceType } from '../kubernetes/resource-types.ts';
import { hookRunId } from '../workflows/ids.ts';
import { inLanes } from './lanes.ts';
import { Lateness } from './lateness.ts';

const NAMESPACE = 'default';
const INTERVAL_MS = 1_000;
/** Whose histories are read; all are alike. */
const SAMPLED = 20;

export class HookTarget {
  readonly lateness = new Lateness(INTERVAL_MS);
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      this.lateness.asked(url, performance.now());
      response.setHeader('content-type', 'application/json');
      response.end('{"players":1}', () => this.lateness.answered(url, performance.now()));
    });
    // An idle connection that is closed here while it is used there would be measured as an error.
    this.#server.keepAliveTimeout = 120_000;
  }

  static async open(): Promise<HookTarget> {
    const target = new HookTarget();
    await new Promise<void>((resolve) => target.#server.listen(0, '127.0.0.1', resolve));
    return target;
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export const namesOf = (runs: number): string[] => Array.from({ length: runs }, (_, index) => `poll-${index}`);

/** All of them, as a person or a workload would create them: the operator's watch finds them. */
export async function createRuns({ cluster }: Operator, target: HookTarget, names: readonly string[]): Promise<void> {
  await inLanes(names.length, async (index) => {
    await cluster.create(hookRuns as ResourceType<HookRun>, runOf(names[index]!, target));
  });
}

export async function deleteRuns({ cluster }: Operator, names: readonly string[]): Promise<void> {
  await inLanes(names.length, async (index) => {
    await cluster.delete(hookRuns, { namespace: NAMESPACE, name: names[index]! });
  });
}

function runOf(name: string, target: HookTarget): HookRun {
  const web = { url: target.urlOf(name), jsonPath: '{$.players}' };
  const metric = { name: 'players', interval: '1s', successfulLimit: 1, successCondition: 'asInt(result) == 0' };
  return {
    apiVersion: API_VERSION,
    kind: HOOK_RUN.kind,
    metadata: { name, namespace: NAMESPACE },
    spec: { metrics: [{ ...metric, provider: { web } }] },
  };
}

/** Events of the history of one run, on average over some of them. */
export async function eventsPerRun({ temporal }: Operator, names: readonly string[]): Promise<number> {
  const sample = names.slice(0, SAMPLED);
  const lengths = await Promise.all(
    sample.map(
      async (name) => (await temporal.workflow.getHandle(hookRunId(NAMESPACE, name)).describe()).historyLength,
    ),
  );
  return lengths.reduce((sum, length) => sum + length, 0) / sample.length;
}
