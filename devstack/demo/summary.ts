/** The story of a rollout as its run tells it afterwards: each step, how it ended, who ended it, how long it took. */
import { table } from '../../cli/table.ts';
import type { RolloutResult, StepLogEntry } from '../../core/rollout/types.ts';

/** Text without a line feed at its end. */
export function summaryOf(result: RolloutResult): string {
  const head = `Rollout ${result.number}, ${result.fromRevision} → ${result.toRevision}: ${result.outcome} in ${seconds(result)}`;
  const rows = result.steps.map((entry) => [
    String(entry.step),
    entry.what,
    entry.outcome ?? 'open',
    entry.by ?? '',
    seconds(entry),
  ]);
  return `${head}\n\n${table(['STEP', 'WHAT', 'ENDED AS', 'BY', 'TOOK'], rows)}`;
}

function seconds({ startedAt, endedAt = startedAt }: Pick<StepLogEntry, 'startedAt' | 'endedAt'>): string {
  return `${((Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`;
}
