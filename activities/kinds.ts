/**
 * What differs by kind for activities and watchers, in one table: where objects are stored, how the API is asked for them,
 * and who plans for them. Nothing else here asks for the kind of a workload.
 */
import { controllerOf } from '../core/ownership.ts';
import { planGameDeployment } from '../core/plan/game-deployment.ts';
import { planGameStatefulSet } from '../core/plan/game-stateful-set.ts';
import type { Plan, PlanInput } from '../core/plan/types.ts';
import { API_GROUP } from '../crds/api.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { gameDeployments, gameStatefulSets, type ResourceType } from '../kubernetes/resource-types.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import type { Stores } from './ports.ts';
import type { WorkloadKey } from './types.ts';

export type WorkloadKind = GameWorkload['kind'];

/** The stores of workloads, by kind. */
export type WorkloadStores = Pick<Stores, 'gameDeployments' | 'gameStatefulSets'>;

interface KindRow<W extends GameWorkload> {
  type: ResourceType<W>;
  store(stores: WorkloadStores): StoreReader<W>;
  plan(input: PlanInput<W>): Plan;
}

const GAME_DEPLOYMENT_ROW: KindRow<GameDeployment> = {
  type: gameDeployments,
  store: (stores) => stores.gameDeployments,
  plan: planGameDeployment,
};
const GAME_STATEFUL_SET_ROW: KindRow<GameStatefulSet> = {
  type: gameStatefulSets,
  store: (stores) => stores.gameStatefulSets,
  plan: planGameStatefulSet,
};

/** A row is only ever given objects of its own kind. */
const ROWS = {
  GameDeployment: GAME_DEPLOYMENT_ROW,
  GameStatefulSet: GAME_STATEFUL_SET_ROW,
} as unknown as Readonly<Record<WorkloadKind, KindRow<GameWorkload>>>;

export const WORKLOAD_KINDS = Object.keys(ROWS) as WorkloadKind[];

export const workloadTypeOf = (kind: WorkloadKind): ResourceType<GameWorkload> => ROWS[kind].type;

export const workloadStoreOf = (stores: WorkloadStores, kind: WorkloadKind): StoreReader<GameWorkload> =>
  ROWS[kind].store(stores);

/** Every workload that the stores hold, of both kinds. */
export const workloadsIn = (stores: WorkloadStores): GameWorkload[] =>
  WORKLOAD_KINDS.flatMap((kind) => workloadStoreOf(stores, kind).list());

/** The workload that controls this object; undefined where it is none of ours. */
export function ownerKeyOf(object: KubernetesObject): (WorkloadKey & { kind: WorkloadKind }) | undefined {
  const owner = controllerOf(object);
  const kind = WORKLOAD_KINDS.find((each) => each === owner?.kind);
  if (owner === undefined || kind === undefined || !owner.apiVersion.startsWith(`${API_GROUP}/`)) return undefined;
  return { kind, namespace: object.metadata.namespace ?? '', name: owner.name };
}

/** The same as the stores have it. */
export function ownerIn(stores: WorkloadStores, object: KubernetesObject): GameWorkload | undefined {
  const key = ownerKeyOf(object);
  return key === undefined ? undefined : workloadStoreOf(stores, key.kind).get(key);
}

export const planWorkloadOf = (input: PlanInput<GameWorkload>): Plan => ROWS[input.workload.kind].plan(input);
