/** The steps are left before they are done: by an abort, or by passing all that remain. Changes the draft it is given. */
import { dropHook } from './hook-step.ts';
import type { RolloutState } from './state.ts';
import { closeAllEntries, openEntry } from './step-log.ts';
import type { HumanMessage } from './types.ts';

/** Nothing of the present step holds any more. */
export function leaveSteps(
  draft: RolloutState,
  outcome: 'aborted' | 'promoted',
  message: HumanMessage,
  nowMs: number,
): void {
  closeAllEntries(draft, outcome, nowMs, message);
  dropHook(draft);
  delete draft.hold;
  delete draft.pause;
}

/** All pods go back; `because` where no person said so. */
export function goBack(draft: RolloutState, message: HumanMessage, nowMs: number, because?: string): void {
  leaveSteps(draft, 'aborted', message, nowMs);
  draft.aborted = { atMs: nowMs, ...(because === undefined ? {} : { because }) };
  openEntry(draft, `back to ${draft.fromRevision}`, nowMs, message);
}
