/**
 * How a fault of ours is told, an error that nobody thought of: by its name alone. What it says may hold what was measured, or a
 * Secret. Pure.
 */

/** Such as `a fault of Holdfast: TypeError`. */
export const describeFault = (error: unknown): string => `a fault of Holdfast: ${nameOf(error)}`;

/** For the log: where it happened, without what it says. */
export function traceFault(error: unknown): { fault: string; at: string[] } {
  const frames = framesOf(error).filter((line) => IS_FRAME.test(line));
  return { fault: nameOf(error), at: frames.slice(0, MOST_FRAMES).map((line) => line.trim()) };
}

/** What follows its message in its stack; none where the message cannot be told from the rest. */
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || error.stack === undefined) return [];
  const messageAt = error.stack.indexOf(error.message);
  return messageAt < 0 ? [] : error.stack.slice(messageAt + error.message.length).split('\n');
}

const MOST_FRAMES = 12;
const IS_FRAME = /^ +at [^ ]/;
/** A name that is made of anything else could be a text. */
const IS_NAME = /^[A-Za-z]{1,60}$/;

const nameOf = (error: unknown): string => (error instanceof Error && IS_NAME.test(error.name) ? error.name : 'Error');
