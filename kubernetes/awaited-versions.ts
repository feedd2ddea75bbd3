/**
 * Versions that somebody waits for. How long the oldest of them has been missing says whether a watch is behind: on a busy server
 * somebody always waits, each for a moment.
 */

interface Awaited {
  version: bigint;
  /** Of the clock of whoever asks. */
  sinceMs: number;
}

export class AwaitedVersions {
  /** Ascending in both. */
  #awaited: Awaited[] = [];

  /** One that a later version covers is waited for already. */
  add(version: bigint, nowMs: number): void {
    const last = this.#awaited.at(-1);
    if (last === undefined || version > last.version) this.#awaited.push({ version, sinceMs: nowMs });
  }

  /** Since when the first one is missing; undefined where none is. */
  missingSince(hasReached: (version: bigint) => boolean): number | undefined {
    while (this.#awaited.length > 0 && hasReached(this.#awaited[0]!.version)) this.#awaited.shift();
    return this.#awaited[0]?.sinceMs;
  }

  /** Those that somebody has waited for since before then are not missing any more. */
  forgetBefore(sinceMs: number): void {
    this.#awaited = this.#awaited.filter((awaited) => awaited.sinceMs >= sinceMs);
  }
}
