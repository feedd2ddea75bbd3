/** The measurements of one run that go on side by side. Whoever waits is woken by the first that comes back. */
import type { FinishedMeasurement, OpenMeasurement } from '../../core/hooks/verdict.ts';
import type { Metric } from '../../crds/metric.ts';

export interface Made {
  metric: Metric;
  measurement: FinishedMeasurement | OpenMeasurement;
}

export class InFlight {
  /** When each began, by the name of its metric; epoch milliseconds. */
  readonly #begunMs = new Map<string, number>();
  readonly #giveUp = new AbortController();
  #made: Made[] = [];
  #failure: { error: unknown } | undefined;
  #wake = () => {};

  get isEmpty(): boolean {
    return this.#begunMs.size === 0;
  }

  isMeasuring({ name }: Metric): boolean {
    return this.#begunMs.has(name);
  }

  /** When the one began that goes on for the longest time; never, where none does. */
  get oldestMs(): number {
    return Math.min(...this.#begunMs.values());
  }

  /** Begins one; `measure` is given the signal that gives it up. */
  start(metric: Metric, nowMs: number, measure: (signal: AbortSignal) => Promise<Made['measurement']>): void {
    this.#begunMs.set(metric.name, nowMs);
    const done = (): void => this.#wake();
    measure(this.#giveUp.signal).then(
      (measurement) => {
        this.#made.push({ metric, measurement });
        done();
      },
      (error: unknown) => {
        this.#failure ??= { error };
        done();
      },
    );
  }

  /** Ends when one comes back, when the time is over or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#made.length > 0 || this.#failure !== undefined || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
    });
  }

  /**
   * What has come back since; until then a metric counts as being measured, or it would be asked again before its answer is known.
   * @throws what a measurement threw: a fault of ours, never of what is measured.
   */
  take(): Made[] {
    if (this.#failure !== undefined) throw this.#failure.error;
    const made = this.#made;
    this.#made = [];
    for (const { metric } of made) this.#begunMs.delete(metric.name);
    return made;
  }

  /** What still goes on is given up: it is no measurement. */
  giveUp(): void {
    this.#giveUp.abort(new Error('the measurement is not needed any more'));
  }
}
