/** By which rules a workload's run goes; for those who start one. A run keeps them, a continued one takes today's. */

/** Of the memo: a run tells by it which rules it was started with, without an event of its own. */
export const RULES_MEMO = 'holdfastRules';

/**
 * 1: as the markers in its history say. 2: knows all that was marked until then, does its short bookkeeping beside the
 * workflow, and writes fewer statuses (docs/adr/0018). 3: writes a status of a wave when the wave is over.
 * 4: looks for what is to be expected at once, and tells its rollout, beside the workflow.
 */
export const WORKLOAD_RULES = 4;

export const rulesMemo = (): Record<string, number> => ({ [RULES_MEMO]: WORKLOAD_RULES });
