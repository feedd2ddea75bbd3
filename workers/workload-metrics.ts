/**
 * The metrics that dashboards of the existing operators read, under their names (game-workloads §4), with the namespace as
 * one more label. Series of a workload go when the object goes, so that none is kept for ever.
 */
import { Gauge, Histogram, type Registry } from 'prom-client';
import { GAME_DEPLOYMENT } from '../crds/api.ts';
import type { GameDeployment, GameDeploymentStatus } from '../crds/game-deployment.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { ObjectRef } from '../kubernetes/resource-types.ts';
import type { PodWrite, PodWriteTimer } from './pod-write-timer.ts';
import type { Watched } from './stores.ts';

const PREFIX = 'bkbcs_gamedeployment_';
const BUCKETS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120];
const LABELS = ['namespace', 'gd'];

const GAUGES: Readonly<Record<string, keyof GameDeploymentStatus>> = {
  replicas: 'replicas',
  ready_replicas: 'readyReplicas',
  available_replicas: 'availableReplicas',
  updated_replicas: 'updatedReplicas',
  updated_ready_replicas: 'updatedReadyReplicas',
};

type Labels = Record<string, string>;

/** Replicas of each workload, read from the store whenever somebody asks. */
export function exposeReplicas(registry: Registry, { gameDeployments }: Pick<Watched, 'gameDeployments'>): void {
  for (const [name, field] of Object.entries(GAUGES)) {
    new Gauge({
      ...{ name: PREFIX + name, help: `status.${field} of each GameDeployment.`, registers: [registry] },
      labelNames: LABELS,
      collect() {
        this.reset();
        for (const { metadata, status } of gameDeployments.list())
          this.set(labelsOf(metadata), Number(status?.[field] ?? 0));
      },
    });
  }
}

/** How long the apiserver took for each write to a pod of a GameDeployment. */
export function createPodWriteTimer(registry: Registry): PodWriteTimer & { follow(stores: Watched): void } {
  const histogram = (write: PodWrite, labelNames: string[]) =>
    new Histogram({
      ...{ name: `${PREFIX}pod_${write}_duration_seconds`, help: `Time of a pod's ${write} in the API.` },
      ...{ registers: [registry], buckets: BUCKETS, labelNames: [...LABELS, 'status', ...labelNames] },
    });
  const histograms: Record<PodWrite, Histogram> = {
    create: histogram('create', []),
    update: histogram('update', ['grace', 'action']),
    delete: histogram('delete', ['grace', 'action']),
  };
  const used = new UsedLabels(histograms);
  let stores: Watched | undefined;
  return {
    podWritten(write, pod, seconds, isDone) {
      const workload = workloadOf(pod, stores);
      if (workload === undefined) return;
      const labels = {
        ...labelsOf(workload.metadata),
        status: isDone ? 'success' : 'failure',
        ...actionOf(write, workload),
      };
      histograms[write].observe(labels, seconds);
      used.note(write, labels);
    },
    follow(watched) {
      stores = watched;
      watched.gameDeployments.onChange(({ kind, object }) => {
        if (kind === 'deleted') used.forget(labelsOf(object.metadata));
      });
    },
  };
}

/** Which series exist, so that those of a deleted workload can be removed. */
class UsedLabels {
  readonly #histograms: Record<PodWrite, Histogram>;
  readonly #byWorkload = new Map<string, Map<string, { write: PodWrite; labels: Labels }>>();

  constructor(histograms: Record<PodWrite, Histogram>) {
    this.#histograms = histograms;
  }

  note(write: PodWrite, labels: Labels): void {
    const workload = `${labels.namespace}/${labels.gd}`;
    const series = this.#byWorkload.get(workload) ?? new Map();
    this.#byWorkload.set(workload, series.set(JSON.stringify([write, labels]), { write, labels }));
  }

  forget({ namespace, gd }: Labels): void {
    const workload = `${namespace}/${gd}`;
    for (const { write, labels } of this.#byWorkload.get(workload)?.values() ?? [])
      this.#histograms[write].remove(labels);
    this.#byWorkload.delete(workload);
  }
}

const labelsOf = ({ namespace = '', name }: { namespace?: string; name: string }) => ({ namespace, gd: name });

/** `grace` says whether a hook may have held the write back. */
function actionOf(write: PodWrite, { spec }: GameDeployment): Labels {
  if (write === 'create') return {};
  const hook = write === 'delete' ? spec.preDeleteUpdateStrategy?.hook : spec.preInplaceUpdateStrategy?.hook;
  return { grace: String(hook !== undefined), action: write === 'delete' ? 'deletePod' : 'inplaceUpdate' };
}

function workloadOf(pod: Pod | ObjectRef, stores: Watched | undefined): GameDeployment | undefined {
  const object = 'metadata' in pod ? pod : stores?.pods.get(pod);
  const owner = object?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind !== GAME_DEPLOYMENT.kind) return undefined;
  return stores?.gameDeployments.get({ namespace: object?.metadata.namespace, name: owner.name });
}
