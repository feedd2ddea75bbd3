/** Which phases end a metric or a run, and which of several phases stands for the whole. Pure. */

import type { HookPhase } from '../../crds/hook-phase.ts';

/** Phases that stop the other metrics of a run. */
type BrokenPhase = 'Failed' | 'Error' | 'Inconclusive';

const TERMINAL: ReadonlySet<HookPhase> = new Set([
  'Successful',
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
  'Skipped',
]);

/** The worse wins; `Terminated` and `Skipped` are no success (decision 34). */
const WORST_FIRST: readonly HookPhase[] = ['Failed', 'Error', 'Inconclusive', 'Terminated', 'Skipped'];

/** Nothing changes any more. */
export function isTerminal(phase: HookPhase | undefined): boolean {
  return phase !== undefined && TERMINAL.has(phase);
}

export function isBroken(phase: HookPhase | undefined): phase is BrokenPhase {
  return phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';
}

/** The phase of a run whose metrics have these (undefined: not started): Running until all have ended, then the worst. */
export function runPhase(phases: readonly (HookPhase | undefined)[]): HookPhase {
  if (phases.some((phase) => !isTerminal(phase))) return 'Running';
  const worst = WORST_FIRST.find((candidate) => phases.includes(candidate));
  return worst === 'Skipped' ? 'Terminated' : (worst ?? 'Successful');
}
