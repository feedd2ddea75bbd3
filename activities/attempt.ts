/**
 * The edge to Temporal: what an activity needs to know of the attempt it runs in. Everything below it is testable
 * without Temporal; nothing else of the activities imports `@temporalio/activity`.
 */
import { Context } from '@temporalio/activity';

/** One attempt of an activity. */
export interface Attempt {
  /** 1 at first. */
  number: number;
  /** Aborted when the attempt is cancelled, timed out or given to somebody else. */
  signal: AbortSignal;
  /** It runs beside its workflow, in one of its tasks (docs/adr/0018). */
  isBeside?: boolean;
  /** Tells the server that the attempt is alive; a cancellation comes back by it. */
  heartbeat(): void;
}

/** The attempt of the activity that is running. @throws Error outside of an activity. */
export function currentAttempt(): Attempt {
  const context = Context.current();
  return {
    number: context.info.attempt,
    signal: context.cancellationSignal,
    isBeside: context.info.isLocal,
    // Nobody takes the beat of one that runs beside its workflow; the SDK would warn of each.
    heartbeat: () => {
      if (!context.info.isLocal) context.heartbeat();
    },
  };
}

/** One that is cancelled learns it by a beat, as soon as a person notices. */
const BEAT_MS = 2_000;
/** Of an attempt that only looks: whoever cancels it does not wait for it. */
export const LOOK_BEAT_MS = 4_000;

/**
 * Runs `work` while the attempt heartbeats. Each beat is a write of Temporal: the first one is due when most attempts are
 * over, since the server knew of this one when it gave it out.
 */
export async function whileBeating<T>(attempt: Attempt, work: () => Promise<T>, everyMs = BEAT_MS): Promise<T> {
  const timer = setInterval(() => attempt.heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
