/** How long the apiserver took for each write to a pod, under the names of the existing operators (game-workloads §4). */
import type { Registry } from 'prom-client';
import { ownerIn, WORKLOAD_KINDS, type WorkloadKind, workloadStoreOf } from '../activities/kinds.ts';
import type { Stores } from '../activities/ports.ts';
import { ordinalOf } from '../core/ordinals.ts';
import { isTerminal } from '../core/pods.ts';
import type { GameStatefulSetSpec } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { pods } from '../kubernetes/resource-types.ts';
import { DurationSeries, type Labels } from './duration-series.ts';
import { FAMILIES, keyOf, labelNamesOf, labelsOf } from './workload-families.ts';
import type { TimedWrite } from './write-timer.ts';

type PodWrite = 'create' | 'update' | 'delete';
type Series = Record<PodWrite, DurationSeries>;

export interface PodWriteMetrics {
  hear(write: TimedWrite): void;
  /** Before that nothing is known of pods, and nothing is counted. */
  follow(stores: Stores): void;
}

export function createPodWriteMetrics(registry: Registry): PodWriteMetrics {
  const series = Object.fromEntries(WORKLOAD_KINDS.map((kind) => [kind, seriesOf(registry, kind)]));
  let stores: Stores | undefined;
  return {
    hear(write) {
      const kind = podWriteOf(write);
      if (kind === undefined || stores === undefined) return;
      const pod = 'object' in write ? (write.object as Pod) : stores.pods.get(write.ref);
      const workload = pod === undefined ? undefined : ownerIn(stores, pod);
      if (pod === undefined || workload === undefined) return;
      const status = write.isDone ? 'success' : 'failure';
      const labels = { ...labelsOf(workload), status, ...actionOf(write, kind, workload, pod) };
      series[workload.kind]?.[kind].observe(keyOf(workload), labels, write.seconds);
    },
    follow(watched) {
      stores = watched;
      for (const kind of WORKLOAD_KINDS) {
        workloadStoreOf(watched, kind).onChange(({ kind: change, object }) => {
          if (change === 'deleted') for (const each of Object.values(series[kind]!)) each.forget(keyOf(object));
        });
      }
    },
  };
}

function seriesOf(registry: Registry, kind: WorkloadKind): Series {
  const durations = (write: PodWrite, labelNames: string[]) =>
    new DurationSeries(registry, {
      name: `${FAMILIES[kind].prefix}pod_${write}_duration_seconds`,
      help: `Time of a pod's ${write} in the API.`,
      labelNames: [...labelNamesOf(kind), 'status', ...labelNames],
    });
  const told = ['grace', 'action'];
  return { create: durations('create', []), update: durations('update', told), delete: durations('delete', told) };
}

/** Of patches only those of the spec: marks and gates are bookkeeping. */
function podWriteOf(write: TimedWrite): PodWrite | undefined {
  if (write.plural !== pods.plural || write.verb === 'replaceStatus') return undefined;
  if (write.verb !== 'patch') return write.verb;
  const isOfSpec = write.subresource === undefined && write.patch.kind !== 'json' && 'spec' in write.patch.body;
  return isOfSpec ? 'update' : undefined;
}

/** `grace` says whether a hook is configured that comes before such a write. */
function actionOf(write: TimedWrite, kind: PodWrite, workload: GameWorkload, pod: Pod): Labels {
  const { spec } = workload;
  const before = spec.preDeleteUpdateStrategy?.hook;
  if (kind === 'create') return {};
  if (kind === 'delete') return { grace: String(before !== undefined), action: deleteActionOf(write, workload, pod) };
  const hook = spec.preInplaceUpdateStrategy?.hook ?? before;
  return spec.updateStrategy?.type === 'HotPatchUpdate'
    ? { grace: 'false', action: 'hotPatchUpdate' }
    : { grace: String(hook !== undefined), action: 'inplaceUpdate' };
}

/** The existing operators tell deletes of a GameStatefulSet apart, and those of a GameDeployment not. */
function deleteActionOf(write: TimedWrite, workload: GameWorkload, pod: Pod): string {
  if (workload.kind !== 'GameStatefulSet') return 'deletePod';
  if (write.verb === 'delete' && write.options.gracePeriodSeconds === 0) return 'forceDeletePod';
  if (isTerminal(pod)) return 'recreatingFailedPod';
  return isWanted(workload.metadata.name, workload.spec, pod.metadata.name) ? 'rollingUpdate' : 'deletePod';
}

/** The pod has one of the ordinals that the replicas are to have: it is deleted to come back. */
function isWanted(set: string, { replicas = 1, reserveOrders = [] }: GameStatefulSetSpec, name: string): boolean {
  const ordinal = ordinalOf(set, name);
  if (ordinal === undefined || reserveOrders.includes(ordinal)) return false;
  return ordinal - new Set(reserveOrders.filter((reserved) => reserved < ordinal)).size < replicas;
}
