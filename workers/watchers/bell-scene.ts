/** What the tests of bells play with: stores that a test feeds and the bells that come of it, and the objects in them. */
import { namespaceIndex, podIndexes, type Stores } from '../../activities/ports.ts';
import { API_VERSION } from '../../crds/api.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { KubernetesObject, Node, Pod } from '../../crds/kubernetes.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import { type Bell, BellBoard } from './bell-board.ts';
import { listenForBells } from './bell-sources.ts';

/** Stores that a test feeds, and the bells that come of it. */
export class BellScene {
  readonly stores = {
    gameDeployments: new ObjectStore(),
    gameStatefulSets: new ObjectStore(),
    pods: new ObjectStore({ indexes: podIndexes }),
    controllerRevisions: new ObjectStore(),
    hookRuns: new ObjectStore(),
    hookTemplates: new ObjectStore({ indexes: namespaceIndex }),
    persistentVolumeClaims: new ObjectStore({ indexes: namespaceIndex }),
    nodes: new ObjectStore(),
  };
  #version = 1;
  #nowMs = 0;
  readonly #board = new BellBoard();

  constructor() {
    this.put('gameDeployments', lobby());
    this.put('pods', pod());
    const stores = this.stores as unknown as Stores;
    listenForBells({ stores, board: this.#board, onPress: () => undefined });
  }

  put(store: keyof BellScene['stores'], object: KubernetesObject): void {
    this.#version += 1;
    const metadata = { uid: `uid-${object.metadata.name}`, ...object.metadata, resourceVersion: String(this.#version) };
    this.stores[store].apply('MODIFIED', { ...object, metadata });
  }

  remove(store: keyof BellScene['stores'], object: KubernetesObject): void {
    this.#version += 1;
    const metadata = { uid: `uid-${object.metadata.name}`, ...object.metadata, resourceVersion: String(this.#version) };
    this.stores[store].apply('DELETED', { ...object, metadata });
  }

  /** Unless told otherwise long after the ones before, so that nothing waits. */
  bells(afterMs = 60_000): Bell[] {
    this.#nowMs += afterMs;
    return this.#board.take(this.#nowMs);
  }
}

export const lobby = (changes: { generation?: number; annotations?: Record<string, string>; status?: object } = {}) =>
  ({
    ...{ apiVersion: API_VERSION, kind: 'GameDeployment' },
    metadata: {
      ...{ namespace: 'default', name: 'lobby', generation: changes.generation ?? 1 },
      annotations: changes.annotations,
    },
    spec: {
      selector: { matchLabels: { app: 'lobby' } },
      template: {},
      updateStrategy: { canary: { steps: [{ hook: { templateName: 'drain' } }] } },
    },
    status: { observedGeneration: 1, ...changes.status },
  }) as unknown as GameDeployment;

export const pod = (
  changes: Partial<Pod['status']> & { annotations?: Record<string, string>; labels?: object } = {},
) => {
  const { annotations, labels, ...status } = changes;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ namespace: 'default', name: 'lobby-a', annotations, labels: { ...labels } },
      ownerReferences: [
        { apiVersion: API_VERSION, kind: 'GameDeployment', name: 'lobby', uid: 'uid-lobby', controller: true },
      ],
    },
    spec: { nodeName: 'node-1' },
    status,
  } as unknown as Pod;
};

export const hookRun = (phase?: string, generation = 1): KubernetesObject & { status: object } => ({
  ...{ apiVersion: API_VERSION, kind: 'HookRun' },
  metadata: { ...pod().metadata, name: 'run', generation },
  status: { phase },
});

export const node = (ready: 'True' | 'False' | 'Unknown') =>
  ({
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name: 'node-1' },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }) as unknown as Node;
