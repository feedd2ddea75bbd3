/** What people see of a hook run in Temporal: the table of its metrics, and what they can do. */
import type { HookRunVerdict, MetricProgress } from '../activities/hooks/types.ts';
import type { HookRunInput } from './hook-run-start.ts';

/** While it is measured. `metrics` is what was last told; the pending activity tells what happened since. */
export function describeMeasuring({ namespace, name }: HookRunInput, metrics: readonly MetricProgress[] = []): string {
  return [
    `Measuring HookRun \`${namespace}/${name}\`. Its values: \`kubectl get hookrun -n ${namespace} ${name} -o yaml\``,
    ...tableOf(metrics),
    `End it without a success: \`kubectl patch hookrun -n ${namespace} ${name} --type merge -p '{"spec":{"terminate":true}}'\``,
  ].join('\n\n');
}

export function describeVerdict({ namespace, name }: HookRunInput, verdict: HookRunVerdict): string {
  const { phase, message, metrics = [], deleteAt } = verdict;
  return [
    `HookRun \`${namespace}/${name}\`: **${phase}**${message === '' ? '' : `, ${message}`}`,
    ...tableOf(metrics),
    ...(deleteAt === undefined ? [] : [`The object is deleted at ${deleteAt}, if nobody needs it any more.`]),
  ].join('\n\n');
}

export function describeGone({ namespace, name }: HookRunInput): string {
  return `HookRun \`${namespace}/${name}\` was deleted.`;
}

function tableOf(metrics: readonly MetricProgress[]): string[] {
  if (metrics.length === 0) return [];
  const rows = metrics.map(({ name, phase, measured, last }) => {
    const cells = [name, phase, String(measured), last?.phase ?? '', last?.at ?? '', last?.message ?? ''];
    return `| ${cells.map(cellOf).join(' | ')} |`;
  });
  return [['| metric | phase | measured | last | at | |', '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n')];
}

/** A bar or a new line of a message would end its cell. */
const cellOf = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
