/** The revisions of a workload as text and as data. Pure: all it shows is in the history. */
import type { RolloutResult } from '../core/rollout/types.ts';
import { diffLines } from './diff.ts';
import { type History, type HistoryEntry, nameOf, rolesOf, sayEntry } from './history-facts.ts';
import { rolloutWords } from './lists.ts';
import { type Shown, yamlOf } from './output.ts';
import { ageOf, table } from './table.ts';

/** One line for each revision, the newest last, as `kubectl rollout history` has them. */
export function historyPage(history: History, nowMs: number): Shown {
  const { workload, entries } = history;
  const rows = entries.map((entry) => [
    ...[String(entry.number), entry.name, ageOf(entry.createdAt, nowMs), String(entry.pods), String(entry.ready)],
    ...[rolesOf(history, entry).join(', '), ...outcomeOf(history, entry)],
  ]);
  const head = ['REVISION', 'NAME', 'AGE', 'PODS', 'READY', 'ROLE', 'OUTCOME', 'BY'];
  const text = rows.length === 0 ? `${nameOf(workload)} has no revision yet.` : table(head, rows);
  return { text, data: entries.map((entry) => dataOf(history, entry)) };
}

/** One revision: its template, or how the template of the spec differs from it. */
export function revisionPage(history: History, entry: HistoryEntry, isDiff: boolean): Shown {
  const { template } = entry;
  const data = { ...dataOf(history, entry), template };
  const head = `# revision ${sayEntry(history, entry)}`;
  if (!isDiff) return { text: `${head}\n${yamlOf(template).trimEnd()}`, data };
  const difference = templateDiff(entry, history);
  const lines = difference === '' ? 'The spec has the same template.' : difference;
  return { text: `${head}: -, the template of the spec: +\n${lines}`, data: { ...data, diff: difference } };
}

/** From the revision to what the spec asks for. */
const templateDiff = ({ template }: HistoryEntry, { workload }: History): string =>
  diffLines(yamlOf(template), yamlOf(workload.spec.template));

function dataOf(history: History, { name, number, createdAt, pods, ready, result, ...rest }: HistoryEntry) {
  const roles = rolesOf(history, { name, number, createdAt, pods, ready, ...rest });
  return { revision: number, name, createdAt, pods, ready, roles, rollout: result ?? null };
}

/** How its rollout went and who had a say. Of one that is open the status speaks: what the revision remembers is of one before. */
function outcomeOf({ workload, stable, asked }: History, { name, result }: HistoryEntry): [string, string] {
  const isOpen = name === asked?.name && stable !== undefined && name !== stable.name;
  return isOpen ? [rolloutWords(workload), ''] : [result?.outcome ?? '', speakersOf(result).join(', ')];
}

/** Who has said something, in the order in which they first did. */
const speakersOf = (result: RolloutResult | undefined): string[] => [
  ...new Set((result?.steps ?? []).flatMap(({ by }) => by ?? [])),
];
