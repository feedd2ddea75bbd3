/**
 * Short bookkeeping beside the workflow, as a local activity: a marker in the history instead of six events and a way through
 * the server's queues (docs/adr/0018). Never for what moves pods: only an activity that heartbeats learns that it was given to
 * somebody else.
 */
import { CancellationScope, TemporalFailure } from '@temporalio/workflow';

/** A message waits until it is over: no longer than a person would notice. Where it is not enough, an activity of its own is tried. */
export const BESIDE = { startToCloseTimeout: '5 seconds', retry: { maximumAttempts: 1 } } as const;

/**
 * `remote` is tried where `beside` fails: it is seen, tried again and waited for like any other. Both must be safe to repeat. The failure
 * of a local activity is an ActivityFailure when it happens, and its bare cause when its marker is replayed: neither may be told apart.
 */
export async function doBeside<T>(beside: () => Promise<T>, remote: () => Promise<T>): Promise<T> {
  try {
    return await beside();
  } catch (error) {
    if (!(error instanceof TemporalFailure) || CancellationScope.current().consideredCancelled) throw error;
    return await remote();
  }
}
