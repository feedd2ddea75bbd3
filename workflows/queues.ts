/** Task queues: one per kind of work, so that parked observations cannot starve writes (design §7). */

/** Workflows only. */
export const WORKFLOW_QUEUE = 'holdfast';
/** Reads that park until something is worth doing. */
export const OBSERVE_QUEUE = 'holdfast-observe';
/** Writes to the API. */
export const MOVE_QUEUE = 'holdfast-move';
/** Measurements of HookRuns. */
export const HOOK_QUEUE = 'holdfast-hooks';
/** One activity that elects the process which rings the bells. */
export const DOORBELL_QUEUE = 'holdfast-doorbell';
