/** A real apiserver with our kinds, stores that follow it, and the ports of activities; events are caught, not sent. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Attempt } from '../../activities/attempt.ts';
import { Lanes } from '../../activities/lanes.ts';
import { controllerIndex, namespaceIndex, podIndexes, type Stores } from '../../activities/ports.ts';
import type { ReportPorts } from '../../activities/report.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import type { EventNote } from '../../kubernetes/event-notes.ts';
import { type Reflector, startReflector } from '../../kubernetes/reflector.ts';
import {
  controllerRevisions,
  gameDeployments,
  gameStatefulSets,
  hookRuns,
  hookTemplates,
  nodes,
  persistentVolumeClaims,
  pods,
  type ResourceType,
} from '../../kubernetes/resource-types.ts';
import { ServerPulse } from '../../kubernetes/server-pulse.ts';
import { ObjectStore, type StoreOptions } from '../../kubernetes/store.ts';
import { eventually } from '../support/eventually.ts';

const GENERATED = resolve(import.meta.dirname, '../../crds/generated');
const execute = promisify(execFile);

export interface BookkeepingServer {
  ports: ReportPorts;
  /** What was recorded so far; a test empties it. */
  notes: EventNote[];
  kubectl(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

export const makeAttempt = (number = 1): Attempt => ({
  number,
  signal: new AbortController().signal,
  heartbeat: () => undefined,
});

/** The same client with some of its methods replaced. */
export const withMethods = (client: KubernetesClient, methods: Partial<KubernetesClient>): KubernetesClient =>
  new Proxy(client, {
    get(target, name) {
      const replaced = methods[name as keyof KubernetesClient];
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

export async function startBookkeepingServer(): Promise<BookkeepingServer> {
  const stack = await startDevstack({ components: ['kube-apiserver'] });
  const kubectl = async (...args: string[]) =>
    (await execute(stack.binaries.kubectl, ['--kubeconfig', stack.kubeconfig, ...args])).stdout;
  await kubectl('apply', '-f', GENERATED);
  await kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
  const client = createKubernetesClient({ kubeconfigPath: stack.kubeconfig });
  const { stores, stop } = await followStores(client);
  const notes: EventNote[] = [];
  const ports: ReportPorts = {
    client,
    stores,
    nowMs: Date.now,
    monotonicMs: () => performance.now(),
    lanes: new Lanes(),
    gatesInHand: new Set(),
    newSeed: () => randomBytes(8).toString('hex'),
    log: { info: () => undefined, warn: () => undefined },
    metrics: { moveEnded: () => undefined, planMade: () => undefined },
    recorder: { record: (note) => notes.push(note) },
  };
  return {
    ports,
    notes,
    kubectl,
    async stop() {
      await stop();
      await client.close();
      await stack.stop();
    },
  };
}

/** One store per kind, each followed by a reflector of its own. */
async function followStores(client: KubernetesClient): Promise<{ stores: Stores; stop: () => Promise<void> }> {
  const pulse = new ServerPulse(client);
  const reflectors: Reflector[] = [];
  const follow = <T extends KubernetesObject>(type: ResourceType<T>, indexes: StoreOptions<T>['indexes'] = {}) => {
    const store = new ObjectStore<T>({ indexes });
    reflectors.push(startReflector({ client, type, store, pulse }));
    return store;
  };
  const stores = {
    gameDeployments: follow(gameDeployments),
    gameStatefulSets: follow(gameStatefulSets),
    pods: follow(pods, podIndexes),
    controllerRevisions: follow(controllerRevisions, controllerIndex),
    hookRuns: follow(hookRuns, controllerIndex),
    hookTemplates: follow(hookTemplates, namespaceIndex),
    persistentVolumeClaims: follow(persistentVolumeClaims, namespaceIndex),
    nodes: follow(nodes),
  };
  await eventually('the stores are filled', () => Object.values(stores).every((store) => store.isSynced));
  const stop = async () => {
    await Promise.all(reflectors.map((reflector) => reflector.stop()));
  };
  return { stores, stop };
}
