/** Shows a rollout in Temporal: current details cost nothing, search attributes one event and only when they change. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { detailsOf } from '../core/rollout/details.ts';
import type { RolloutState } from '../core/rollout/state.ts';
import { pausedAttribute, phaseAttribute, stepAttribute, workloadAttribute } from './search-attributes.ts';

/** Server limit for details: 20,000 bytes; the tail of the log is what goes first. */
const DETAILS_MAX_CHARS = 6_500;

export class RolloutDisplay {
  #shown = '';

  show(state: RolloutState): void {
    setCurrentDetails(detailsOf(state).slice(0, DETAILS_MAX_CHARS));
    const { phase, stepIndex, pause } = state.view;
    const paused = pause !== undefined;
    const shown = JSON.stringify([phase, stepIndex, paused]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    upsertSearchAttributes([
      { key: workloadAttribute, value: state.workload },
      { key: phaseAttribute, value: phase },
      { key: stepAttribute, value: stepIndex },
      { key: pausedAttribute, value: paused },
    ]);
  }
}
