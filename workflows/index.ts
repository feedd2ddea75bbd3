/** Every workflow that a Holdfast worker runs; the entry of the workflow bundle. */
export { doorbell } from './doorbell.ts';
export { hookRun } from './hook-run.ts';
export { rollout } from './rollout.ts';
export { workload } from './workload/workload.ts';
