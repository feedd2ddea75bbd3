/** Why a process of ours cannot start, in one sentence that says what to do; everything else is a fault of ours. */

/** Ends the process with `exitCode`; its message is all that a person is shown. */
export class CannotStart extends Error {
  readonly exitCode: number;
  /** It may be over by itself: a process that has other work waits for that. */
  readonly isPassing: boolean;

  constructor(message: string, options: { cause?: unknown; exitCode?: number; isPassing?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CannotStart';
    this.exitCode = options.exitCode ?? 1;
    this.isPassing = options.isPassing ?? false;
  }
}

/** What an error says, on one line, without a stack. */
export function sayError(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return said.replace(/\s+/g, ' ').trim().slice(0, 500);
}
