/** The name under which the doorbell workflow runs; for those who start it. */

/** Workflow id of the singleton. */
export const DOORBELL_ID = 'holdfast/doorbell';
