/**
 * What hooks take, under the names of the existing operators (game-workloads §4). A run is counted by the process that wrote how it
 * ended, so once. Labels name the workload that asked; its series go with it, those of a HookRun with the HookRun, those of a metric
 * when no HookTemplate has it any more.
 */

import { Gauge, type Registry } from 'prom-client';
import { ownerIn, WORKLOAD_KINDS, workloadStoreOf } from '../activities/kinds.ts';
import { NAMESPACE_INDEX, type Stores } from '../activities/ports.ts';
import type { HookRunType } from '../core/hooks/hook-run.ts';
import { isTerminal } from '../core/hooks/phases.ts';
import { HOOK_RUN_TYPE_LABEL } from '../core/keys.ts';
import { controllerOf } from '../core/ownership.ts';
import type { HookRun, MetricResult } from '../crds/hook-run.ts';
import { hookRuns } from '../kubernetes/resource-types.ts';
import { DurationSeries, type Labels } from './duration-series.ts';
import { keyOf } from './workload-families.ts';
import type { TimedWrite } from './write-timer.ts';

export interface HookMetrics {
  hear(write: TimedWrite): void;
  follow(stores: Stores): void;
}

/** Values of the label `action`, by what a run is for. */
const ACTIONS: Readonly<Record<HookRunType, string>> = {
  'pre-delete-step': 'predelete',
  'pre-inplace-step': 'preinplace',
  'post-inplace-step': 'postinplace',
  'canary-step': 'canary',
};

/** Of finished runs: dashboards count those without `error`. */
const STATUSES: Readonly<Record<string, string>> = { Successful: 'success', Error: 'error' };

const actionOf = ({ metadata }: HookRun): string =>
  ACTIONS[metadata.labels?.[HOOK_RUN_TYPE_LABEL] as HookRunType] ?? 'other';

const statusOf = (phase = 'Pending'): string => STATUSES[phase] ?? phase.toLowerCase();

/** undefined where either is missing or was written by nobody who knows times. */
function secondsBetween(start: string | undefined, end: string | undefined): number | undefined {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

export function createHookMetrics(registry: Registry): HookMetrics {
  const created = new DurationSeries(registry, {
    name: 'bkbcs_gameworkload_hookrun_create_duration_seconds',
    help: 'Time to create a HookRun in the API.',
    labelNames: ['namespace', 'name', 'status', 'action', 'objectKind'],
  });
  const ended = new DurationSeries(registry, {
    name: 'bkbcs_hook_hookrun_exec_duration_seconds',
    help: 'From the start of a HookRun to its verdict.',
    labelNames: ['namespace', 'owner', 'action', 'status'],
  });
  const metricEnded = new DurationSeries(registry, {
    name: 'bkbcs_hook_metric_exec_duration_seconds',
    help: 'From the start of a HookRun to the end of one of its metrics.',
    labelNames: ['namespace', 'owner', 'metric', 'phase'],
  });
  const counted = new Set<string>();
  let stores: Stores | undefined;

  const hearCreated = (run: HookRun, { seconds, isDone }: TimedWrite) => {
    const owner = stores === undefined ? undefined : ownerIn(stores, run);
    if (owner === undefined) return;
    const { namespace = '', name } = owner.metadata;
    const status = isDone ? 'success' : 'failure';
    const labels = { namespace, name, status, action: actionOf(run), objectKind: owner.kind };
    created.observe(ownerKey(owner), labels, seconds);
  };
  const hearEnded = (run: HookRun) => {
    const owner = stores === undefined ? undefined : ownerIn(stores, run);
    const { metadata, status = {} } = run;
    if (owner === undefined || !isTerminal(status.phase) || counted.has(metadata.uid ?? '')) return;
    counted.add(metadata.uid ?? '');
    const shared: Labels = { namespace: owner.metadata.namespace ?? '', owner: owner.metadata.name };
    const seconds = secondsBetween(status.startedAt, status.finishedAt);
    const labels = { ...shared, action: actionOf(run), status: statusOf(status.phase) };
    if (seconds !== undefined) ended.observe(ownerKey(owner), labels, seconds);
    for (const result of status.metricResults ?? []) {
      const took = secondsBetween(status.startedAt, endOf(result));
      const { name: metric, phase } = result;
      const labels = { ...shared, metric, phase };
      if (took !== undefined && isNamed(labels)) metricEnded.observe(ownerKey(owner), labels, took);
    }
  };
  /** A HookTemplate of the namespace has a metric of this name: they may be renamed without end while the workload stays. */
  const isNamed = ({ namespace = '', metric }: Labels) =>
    [...(stores?.hookTemplates.byIndex(NAMESPACE_INDEX, namespace) ?? [])].some(({ spec }) =>
      spec.metrics.some(({ name }) => name === metric),
    );
  return {
    hear(write) {
      if (write.plural !== hookRuns.plural) return;
      if (write.verb === 'create') hearCreated(write.object as HookRun, write);
      if (write.verb === 'replaceStatus' && write.isDone) hearEnded(write.object as HookRun);
    },
    follow(watched) {
      stores = watched;
      watched.hookRuns.onChange(({ kind, object }) => {
        if (kind === 'deleted') counted.delete(object.metadata.uid ?? '');
      });
      watched.hookTemplates.onChange(({ kind, object }) => {
        const { namespace } = object.metadata;
        if (kind !== 'added') metricEnded.forgetThose((labels) => labels.namespace === namespace && !isNamed(labels));
      });
      for (const kind of WORKLOAD_KINDS) {
        workloadStoreOf(watched, kind).onChange(({ kind: change, object }) => {
          if (change === 'deleted') for (const series of [created, ended, metricEnded]) series.forget(ownerKey(object));
        });
      }
    },
  };
}

const ownerKey = (workload: Parameters<typeof keyOf>[0] & { kind: string }): string =>
  `${workload.kind}/${keyOf(workload)}`;

const endOf = ({ measurements = [] }: MetricResult): string | undefined => measurements.at(-1)?.finishedAt;

/** How old each HookRun is, or became: one series for each that there is, which goes with it. */
export function exposeHookRuns(registry: Registry, stores: Stores, nowMs: () => number): void {
  new Gauge({
    name: 'bkbcs_hook_hookrun_survive_time_seconds',
    help: 'From the start of each HookRun to its verdict, or to now.',
    ...{ registers: [registry], labelNames: ['namespace', 'owner', 'name', 'phase'] },
    collect() {
      this.reset();
      for (const run of stores.hookRuns.list()) {
        const { metadata, status = {} } = run;
        const end = isTerminal(status.phase) ? status.finishedAt : new Date(nowMs()).toISOString();
        const seconds = secondsBetween(status.startedAt ?? metadata.creationTimestamp, end);
        const { namespace = '', name } = metadata;
        const owner = controllerOf(run)?.name ?? '';
        if (seconds !== undefined) this.set({ namespace, owner, name, phase: status.phase ?? 'Pending' }, seconds);
      }
    },
  });
}
