/** Stands in for a rollout that waits for its hook step: keeps what it is told. Entry of the tests' workflow bundle. */
import { condition, defineQuery, setHandler } from '@temporalio/workflow';
import { type Finished, finished } from '../../workflows/messages.ts';

export { hookRun } from '../../workflows/hook-run.ts';

export const toldQuery = defineQuery<Finished[]>('told');

export async function rolloutDouble(): Promise<Finished[]> {
  const told: Finished[] = [];
  setHandler(finished, (message) => void told.push(message));
  setHandler(toldQuery, () => told);
  await condition(() => told.length > 0);
  return told;
}
