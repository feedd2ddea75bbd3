/** Every workflow that a Holdfast worker runs; the entry of the workflow bundle. */
export { rollout } from './rollout.ts';
