/**
 * What is known of each workload, under the names of the existing operators (game-workloads §4) with the namespace as a label in
 * both kinds, and what it waits for. Series of a workload go when the object goes.
 */
import { Gauge, type Registry } from 'prom-client';
import {
  WORKLOAD_KINDS,
  type WorkloadKind,
  type WorkloadStores,
  workloadStoreOf,
  workloadsIn,
} from '../activities/kinds.ts';
import type { WorkloadKey } from '../activities/types.ts';
import { READY_REASONS } from '../core/status/reasons.ts';
import type { GameStatefulSetStatus } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Condition } from '../crds/kubernetes.ts';
import { DurationSeries } from './duration-series.ts';
import { FAMILIES, keyOf, labelNamesOf, labelsOf, namedLabels } from './workload-families.ts';

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

/**
 * What keeps each workload from being Ready, with the reason that its condition gives: how many seconds it has not been Ready.
 * Reasons of nobody we know, such as of another operator before us, are counted as `Other`.
 */
export function exposeWaits(registry: Registry, stores: WorkloadStores, nowMs: () => number): void {
  new Gauge({
    name: 'holdfast_workload_waiting_seconds',
    help: 'Since when a workload is not Ready, by what it waits for now; absent while it is Ready.',
    ...{ registers: [registry], labelNames: ['kind', 'namespace', 'name', 'reason'] },
    collect() {
      this.reset();
      for (const { kind, metadata, status } of workloadsIn(stores)) {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready === undefined || ready.status === 'True') continue;
        const reason = READY_REASONS.has(ready.reason ?? '') ? (ready.reason ?? '') : 'Other';
        const { namespace = '', name } = metadata;
        this.set({ kind, namespace, name, reason }, secondsSince(ready, nowMs()));
      }
    },
  });
}

/** Rollouts whose pods have been waited for longer than `progressDeadlineSeconds`: how many seconds that has been so. */
export function exposeDeadlines(registry: Registry, stores: WorkloadStores, nowMs: () => number): void {
  new Gauge({
    name: 'holdfast_workload_progress_deadline_exceeded_seconds',
    help: 'Since when the progress deadline of a workload is exceeded; absent while it is not.',
    ...{ registers: [registry], labelNames: ['kind', 'namespace', 'name'] },
    collect() {
      this.reset();
      for (const { kind, metadata, status } of workloadsIn(stores)) {
        const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
        if (progressing?.status !== 'False' || progressing.reason !== 'ProgressDeadlineExceeded') continue;
        const { namespace = '', name } = metadata;
        this.set({ kind, namespace, name }, secondsSince(progressing, nowMs()));
      }
    },
  });
}

function secondsSince({ lastTransitionTime }: Condition, nowMs: number): number {
  const sinceMs = Date.parse(lastTransitionTime ?? '') || nowMs;
  return Math.max(0, (nowMs - sinceMs) / 1000);
}

/** `reconcile_duration_seconds`: one look of the planner at one workload; nothing is counted of one that is not there any more. */
export function createLookMetrics(registry: Registry) {
  const series = Object.fromEntries(
    WORKLOAD_KINDS.map((kind) => [
      kind,
      new DurationSeries(registry, {
        name: `${FAMILIES[kind].prefix}reconcile_duration_seconds`,
        help: 'Time to plan one workload once.',
        labelNames: [...labelNamesOf(kind), 'status'],
      }),
    ]),
  ) as Record<WorkloadKind, DurationSeries>;
  let watched: WorkloadStores | undefined;
  return {
    planMade: (workload: WorkloadKey, durationMs: number, isDone: boolean) => {
      // A look may end after the delete: its series would never go.
      if (watched === undefined || workloadStoreOf(watched, workload.kind).get(workload) === undefined) return;
      const labels = { ...namedLabels(workload), status: isDone ? 'success' : 'failure' };
      series[workload.kind].observe(keyOf({ metadata: workload }), labels, durationMs / 1000);
    },
    follow(stores: WorkloadStores) {
      watched = stores;
      for (const kind of WORKLOAD_KINDS)
        workloadStoreOf(stores, kind).onChange(({ kind: change, object }) => {
          if (change === 'deleted') series[kind].forget(keyOf(object));
        });
    },
  };
}

/** Which release this is, where dashboards look for it. What is not known of a build is empty. */
export function exposeVersion(registry: Registry, version: string): void {
  const labels = {
    image_version: version,
    crd_version: 'v1alpha1',
    git_version: version,
    git_commit: '',
    build_date: '',
  };
  for (const family of ['gamedeployment', 'gamestatefulset', 'hook']) {
    const gauge = new Gauge({
      ...{ name: `bkbcs_${family}_operator_version`, help: 'Always 1; the labels say which release this is.' },
      ...{ registers: [registry], labelNames: ['name', ...Object.keys(labels)] },
    });
    gauge.set({ name: 'holdfast', ...labels }, 1);
  }
}
