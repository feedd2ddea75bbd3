/**
 * The metrics that dashboards of the existing operators read, under their names (game-workloads §4), with the namespace as
 * a label in both kinds. Series of a workload go when the object goes, so that none is kept for ever.
 */
import { Gauge, Histogram, type Registry } from 'prom-client';
import { WORKLOAD_KINDS, type WorkloadKind, type WorkloadStores, workloadStoreOf } from '../activities/kinds.ts';
import type { Stores } from '../activities/ports.ts';
import type { GameStatefulSetStatus } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { ObjectRef } from '../kubernetes/resource-types.ts';
import type { PodWrite, PodWriteTimer } from './pod-write-timer.ts';

const BUCKETS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120];

type Gauges = Readonly<Record<string, keyof GameStatefulSetStatus>>;

const SHARED_GAUGES: Gauges = {
  replicas: 'replicas',
  ready_replicas: 'readyReplicas',
  available_replicas: 'availableReplicas',
  updated_replicas: 'updatedReplicas',
  updated_ready_replicas: 'updatedReadyReplicas',
};

/** How the existing operators name what they measure of a kind, and the label that says which object it is. */
const FAMILIES: Readonly<Record<WorkloadKind, { prefix: string; label: string; gauges: Gauges }>> = {
  GameDeployment: { prefix: 'bkbcs_gamedeployment_', label: 'gd', gauges: SHARED_GAUGES },
  GameStatefulSet: {
    prefix: 'bkbcs_gamestatefulset_',
    label: 'name',
    gauges: { ...SHARED_GAUGES, current_replicas: 'currentReplicas' },
  },
};

type Labels = Record<string, string>;

const labelNamesOf = (kind: WorkloadKind): string[] => ['namespace', FAMILIES[kind].label];

function labelsOf({ kind, metadata: { namespace = '', name } }: Pick<GameWorkload, 'kind' | 'metadata'>): Labels {
  return { namespace, [FAMILIES[kind].label]: name };
}

/** Replicas of each workload, read from the stores whenever somebody asks. */
export function exposeReplicas(registry: Registry, stores: WorkloadStores): void {
  for (const kind of WORKLOAD_KINDS) {
    const { prefix, gauges } = FAMILIES[kind];
    for (const [name, field] of Object.entries(gauges)) {
      new Gauge({
        ...{ name: prefix + name, help: `status.${field} of each ${kind}.`, registers: [registry] },
        labelNames: labelNamesOf(kind),
        collect() {
          this.reset();
          for (const workload of workloadStoreOf(stores, kind).list())
            this.set(labelsOf(workload), countOf(workload, field));
        },
      });
    }
  }
}

const countOf = ({ status }: GameWorkload, field: keyof GameStatefulSetStatus): number =>
  Number((status as GameStatefulSetStatus | undefined)?.[field] ?? 0);

/** How long the apiserver took for each write to a pod of a workload. */
export function createPodWriteTimer(registry: Registry): PodWriteTimer & { follow(stores: Stores): void } {
  const series = Object.fromEntries(WORKLOAD_KINDS.map((kind) => [kind, new WriteSeries(registry, kind)])) as Record<
    WorkloadKind,
    WriteSeries
  >;
  let stores: Stores | undefined;
  return {
    podWritten(write, pod, seconds, isDone) {
      const workload = stores === undefined ? undefined : workloadOf(pod, stores);
      if (workload !== undefined) series[workload.kind].observe(write, workload, seconds, isDone);
    },
    follow(watched) {
      stores = watched;
      for (const kind of WORKLOAD_KINDS) {
        workloadStoreOf(watched, kind).onChange(({ kind: change, object }) => {
          if (change === 'deleted') series[kind].forget(object);
        });
      }
    },
  };
}

/** The histograms of one kind, and which of their series exist, so that those of a deleted workload can be removed. */
class WriteSeries {
  readonly #histograms: Record<PodWrite, Histogram>;
  readonly #byWorkload = new Map<string, Map<string, { write: PodWrite; labels: Labels }>>();

  constructor(registry: Registry, kind: WorkloadKind) {
    const histogram = (write: PodWrite, labelNames: string[]) =>
      new Histogram({
        name: `${FAMILIES[kind].prefix}pod_${write}_duration_seconds`,
        help: `Time of a pod's ${write} in the API.`,
        ...{ registers: [registry], buckets: BUCKETS, labelNames: [...labelNamesOf(kind), 'status', ...labelNames] },
      });
    this.#histograms = {
      create: histogram('create', []),
      update: histogram('update', ['grace', 'action']),
      delete: histogram('delete', ['grace', 'action']),
    };
  }

  observe(write: PodWrite, workload: GameWorkload, seconds: number, isDone: boolean): void {
    const status = isDone ? 'success' : 'failure';
    const labels = { ...labelsOf(workload), status, ...actionOf(write, workload) };
    this.#histograms[write].observe(labels, seconds);
    const key = keyOf(workload);
    const series = this.#byWorkload.get(key) ?? new Map();
    this.#byWorkload.set(key, series.set(JSON.stringify([write, labels]), { write, labels }));
  }

  forget(workload: GameWorkload): void {
    const key = keyOf(workload);
    for (const { write, labels } of this.#byWorkload.get(key)?.values() ?? []) this.#histograms[write].remove(labels);
    this.#byWorkload.delete(key);
  }
}

const keyOf = ({ metadata }: GameWorkload): string => `${metadata.namespace}/${metadata.name}`;

/** `grace` says whether a hook may have held the write back. */
function actionOf(write: PodWrite, { spec }: GameWorkload): Labels {
  if (write === 'create') return {};
  const hook = write === 'delete' ? spec.preDeleteUpdateStrategy?.hook : spec.preInplaceUpdateStrategy?.hook;
  const update = spec.updateStrategy?.type === 'HotPatchUpdate' ? 'hotPatchUpdate' : 'inplaceUpdate';
  return { grace: String(hook !== undefined), action: write === 'delete' ? 'deletePod' : update };
}

function workloadOf(pod: Pod | ObjectRef, stores: Stores): GameWorkload | undefined {
  const object = 'metadata' in pod ? pod : stores.pods.get(pod);
  const owner = object?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const kind = WORKLOAD_KINDS.find((each) => each === owner?.kind);
  if (owner === undefined || kind === undefined) return undefined;
  return workloadStoreOf(stores, kind).get({ namespace: object?.metadata.namespace, name: owner.name });
}
