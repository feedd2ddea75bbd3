/**
 * Whether Temporal answers this process. A process that cannot reach it still keeps its stores and opens gates; so nothing that
 * time heals ends it, and what it waits for is said in the log and by /readyz.
 */
import type { Logger } from '../activities/ports.ts';
import { withPatience } from './patience.ts';
import { CannotStart, sayError } from './startup-error.ts';
import { mayHeal } from './temporal.ts';

const ASK_EVERY_MS = 5_000;
/** One answer that is late says little; two in a row take ten seconds at least. */
const FAILURES_THAT_COUNT = 2;

/** What it answers may be that it serves somebody else now. */
const sentenceOf = (error: unknown): string =>
  error instanceof CannotStart ? error.message : `Temporal does not answer: ${sayError(error)}`;

export class TemporalPulse {
  readonly #log: Logger;
  #problem: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** One sentence while Temporal does not answer; undefined while it does, or was never asked. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Tries until it works. @throws what time does not heal, such as a namespace that is not there; AbortError after `stop`. */
  async reach<T>(open: () => Promise<T>): Promise<T> {
    const onProblem = (problem: string) => this.#say(problem);
    const opened = await withPatience(open, { isPassing: mayHeal, onProblem, signal: this.#stopping.signal });
    this.#answered();
    return opened;
  }

  /** Asks now and then from here on. */
  follow(ask: () => Promise<unknown>): void {
    this.#timer = setTimeout(() => void this.#ask(ask), ASK_EVERY_MS);
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }

  async #ask(ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask();
      this.#answered();
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= FAILURES_THAT_COUNT) this.#say(sentenceOf(error));
    }
    if (!this.#stopping.signal.aborted) this.follow(ask);
  }

  #answered(): void {
    if (this.#problem !== undefined) this.#log.info({}, 'Temporal answers again');
    this.#problem = undefined;
    this.#failures = 0;
  }

  #say(problem: string): void {
    if (this.#problem !== problem)
      this.#log.warn({ problem }, 'Temporal is waited for; gates of pods are opened meanwhile');
    this.#problem = problem;
  }
}
