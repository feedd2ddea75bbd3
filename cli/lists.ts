/** Objects of one kind as a table: one line each. */

import { workloadTypeOf } from '../activities/kinds.ts';
import { measurementsMade } from '../core/hooks/verdict.ts';
import { HOOK_RUN_TYPE_LABEL } from '../core/keys.ts';
import { HOOK_RUN } from '../crds/api.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { hookRuns, type ResourceType } from '../kubernetes/resource-types.ts';
import { CannotStart } from '../workers/startup-error.ts';
import { hookPage } from './hook-page.ts';
import { ageOf, table, untilTime } from './table.ts';
import type { Target } from './targets.ts';

/** All objects of the kind, or the one that is named; of all namespaces where none is given. */
export async function readList(client: KubernetesClient, { kind, name }: Target, namespace: string | undefined) {
  return kind === HOOK_RUN.kind
    ? withPages(listed(await read(client, hookRuns, name, namespace), hookRunColumns, namespace), name)
    : listed(await read(client, workloadTypeOf(kind), name, namespace), workloadColumns, namespace);
}

async function read<T extends KubernetesObject>(
  client: KubernetesClient,
  type: ResourceType<T>,
  name: string | undefined,
  namespace: string | undefined,
): Promise<T[]> {
  const { items } = await client.list(type, { namespace, ...(name && { fieldSelector: `metadata.name=${name}` }) });
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  if (items.length === 0 && name !== undefined) {
    throw new CannotStart(`There is no ${type.kind.toLowerCase()}/${name} in ${where}`);
  }
  return items;
}

type Columns<T> = Readonly<Record<string, (object: T, nowMs: number) => string>>;

const workloadColumns: Columns<GameWorkload> = {
  NAME: ({ metadata }) => metadata.name,
  DESIRED: ({ spec }) => String(spec.replicas ?? 1),
  UPDATED: ({ status }) => String(status?.updatedReplicas ?? 0),
  READY: ({ status }) => String(status?.readyReplicas ?? 0),
  TOTAL: ({ status }) => String(status?.replicas ?? 0),
  ROLLOUT: rolloutWords,
  AGE: ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
};

/** What a glance should tell: is something on its way, and does it wait for a person? */
export function rolloutWords({ spec, status }: GameWorkload): string {
  const conditions = status?.conditions ?? [];
  const stalled = conditions.find(({ type, status: value }) => type === 'Stalled' && value === 'True');
  if (stalled) return stalled.reason ?? 'Stalled';
  if (status?.updateRevision === status?.currentRevision) return status?.moving === true ? 'Moving' : 'Done';
  const { length } = spec.updateStrategy?.canary?.steps ?? [];
  const step = length === 0 ? '' : ` at step ${status?.currentStepIndex ?? 0} of ${length}`;
  const isPaused = (status?.pauseConditions ?? []).length > 0 || spec.updateStrategy?.paused === true;
  return `${isPaused ? 'Paused' : 'Progressing'}${step}`;
}

const hookRunColumns: Columns<HookRun> = {
  NAME: ({ metadata }) => metadata.name,
  TYPE: ({ metadata }) => metadata.labels?.[HOOK_RUN_TYPE_LABEL] ?? '',
  PHASE: ({ status }) => status?.phase ?? 'Pending',
  METRIC: ({ status }) => status?.metric ?? '',
  VALUE: ({ status }) => status?.value?.slice(0, 40) ?? '',
  MEASURED: ({ status }) =>
    String((status?.metricResults ?? []).reduce((sum, each) => sum + measurementsMade(each), 0)),
  NEXT: ({ status }, nowMs) => untilTime(status?.nextMeasurementAt, nowMs),
  MESSAGE: ({ status }) => status?.message?.slice(0, 80) ?? '',
  AGE: ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
};

function listed<T extends KubernetesObject>(items: T[], columns: Columns<T>, namespace: string | undefined) {
  const nowMs = Date.now();
  const shown =
    namespace === undefined ? { NAMESPACE: ({ metadata }: T) => metadata.namespace ?? '', ...columns } : columns;
  const rows = items.map((item) => Object.values(shown).map((column) => column(item, nowMs)));
  const nothing = namespace === undefined ? 'None found.' : `None found in namespace ${namespace}.`;
  return { text: rows.length === 0 ? nothing : table(Object.keys(shown), rows), data: items };
}

/** Who asks for one HookRun wants to see its measurements. */
function withPages({ text, data }: { text: string; data: HookRun[] }, name: string | undefined) {
  const pages = name === undefined ? [] : data.map((run) => hookPage(run, Date.now()));
  return { text: [text, ...pages.filter((page) => page !== '')].join('\n\n'), data };
}
