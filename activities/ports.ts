/**
 * What activities are given: the only way they reach the cluster, the clock or the log. Constructed by workers/ and by
 * tests; nothing here is constructed by activities.
 */
import { hasController } from '../core/ownership.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { hookRuns, hookTemplates, type ResourceType } from '../kubernetes/resource-types.ts';
import type { StoreOptions } from '../kubernetes/store.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import type { Lanes } from './lanes.ts';
import type { Outcome } from './outcome.ts';
import type { WorkloadKey } from './types.ts';

/** Index of pods, revisions and HookRuns: the uid of their controller. */
export const CONTROLLER_INDEX = 'controller';
/** Index of pods that nobody controls: their namespace. */
export const ORPHAN_INDEX = 'orphan';
/** Index of HookTemplates and PersistentVolumeClaims. */
export const NAMESPACE_INDEX = 'namespace';

type Indexes = NonNullable<StoreOptions<KubernetesObject>['indexes']>;

/** To be given to the stores of ControllerRevisions and HookRuns. */
export const controllerIndex: Indexes = {
  [CONTROLLER_INDEX]: ({ metadata }) =>
    (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid),
};

/** To be given to the store of pods. Nearly all pods have a controller: the second index costs nothing. */
export const podIndexes: Indexes = {
  ...controllerIndex,
  [ORPHAN_INDEX]: (pod) => (hasController(pod) ? [] : [pod.metadata.namespace ?? '']),
};

/** To be given to the stores of HookTemplates and PersistentVolumeClaims. */
export const namespaceIndex: Indexes = {
  [NAMESPACE_INDEX]: ({ metadata }) => [metadata.namespace ?? ''],
};

/** The process-wide stores, each kept current by a reflector. */
export interface Stores {
  gameDeployments: StoreReader<GameDeployment>;
  gameStatefulSets: StoreReader<GameStatefulSet>;
  pods: StoreReader<Pod>;
  controllerRevisions: StoreReader<ControllerRevision>;
  hookRuns: StoreReader<HookRun>;
  hookTemplates: StoreReader<HookTemplate>;
  /** Names and whether they are being deleted. */
  persistentVolumeClaims: StoreReader<KubernetesObject>;
  nodes: StoreReader<Node>;
}

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What is counted about moves; every label value is one of a few words. */
export interface MoveMetrics {
  moveEnded(act: string, result: Outcome['result']): void;
  /** One look at one workload; `isDone` is false where planning failed, which is a fault. */
  planMade(workload: WorkloadKey, durationMs: number, isDone: boolean): void;
}

export interface Ports {
  client: KubernetesClient;
  stores: Stores;
  /** Epoch milliseconds. */
  nowMs: () => number;
  /** Never jumps; the same clock as `performance.now()`. */
  monotonicMs: () => number;
  /** A text that was never given before; new pod names derive from it. */
  newSeed: () => string;
  /** Shared by all activities of the process. */
  lanes: Lanes;
  /** Uids of the new pods whose gates a move attempt of this process opens, or will: shared with its gate opener. */
  gatesInHand: Set<string>;
  log: Logger;
  metrics: MoveMetrics;
}

export const hookRunType = hookRuns as ResourceType<HookRun>;
export const hookTemplateType = hookTemplates as ResourceType<HookTemplate>;
