/** How late questions come that are to come at an interval: from each answer to the next question, beyond the interval. Pure. */

export class Lateness {
  readonly #intervalMs: number;
  readonly #answeredAtMs = new Map<string, number>();
  #lateMs: number[] = [];

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** How many have asked at all. */
  get askers(): number {
    return this.#answeredAtMs.size;
  }

  /** The first question of each is neither early nor late. */
  asked(asker: string, nowMs: number): void {
    const before = this.#answeredAtMs.get(asker);
    if (before !== undefined) this.#lateMs.push(nowMs - before - this.#intervalMs);
    this.#answeredAtMs.set(asker, nowMs);
  }

  answered(asker: string, nowMs: number): void {
    this.#answeredAtMs.set(asker, nowMs);
  }

  /** Forgets how late they were so far. */
  restart(): void {
    this.#lateMs = [];
  }

  summary(): LatenessSummary {
    const sorted = this.#lateMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return { questions: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), mostMs: at(1) };
  }
}

export interface LatenessSummary {
  questions: number;
  medianMs: number;
  p99Ms: number;
  mostMs: number;
}
