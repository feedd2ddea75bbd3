/**
 * A histogram of durations whose series belong to objects of the cluster: they go when their object goes, so that none is kept for
 * ever. Beside it the largest and the smallest value of each series, as the existing operators count them.
 */
import { Gauge, Histogram, type Registry } from 'prom-client';

/** Of the existing operators (game-workloads §4). */
const BUCKETS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120];

export type Labels = Record<string, string>;

interface DurationOptions {
  name: string;
  help: string;
  labelNames: string[];
}

interface Series {
  labels: Labels;
  min: number;
  max: number;
}

export class DurationSeries {
  readonly #histogram: Histogram;
  readonly #max: Gauge;
  readonly #min: Gauge;
  /** By owner and by its labels as text. */
  readonly #owned = new Map<string, Map<string, Series>>();

  constructor(registry: Registry, { name, help, labelNames }: DurationOptions) {
    const registers = [registry];
    this.#histogram = new Histogram({ name, help, labelNames, registers, buckets: BUCKETS });
    const gauge = (word: string, which: string) =>
      new Gauge({
        name: `${name}_${word}`,
        help: `${help} The ${which} since the process began.`,
        labelNames,
        registers,
      });
    this.#max = gauge('max', 'longest');
    this.#min = gauge('min', 'shortest');
  }

  observe(owner: string, labels: Labels, seconds: number): void {
    const series = this.#owned.get(owner) ?? new Map<string, Series>();
    this.#owned.set(owner, series);
    const key = JSON.stringify(labels);
    const { max = seconds, min = seconds } = series.get(key) ?? {};
    const next = { labels, max: Math.max(max, seconds), min: Math.min(min, seconds) };
    series.set(key, next);
    this.#histogram.observe(labels, seconds);
    this.#max.set(labels, next.max);
    this.#min.set(labels, next.min);
  }

  forget(owner: string): void {
    for (const { labels } of this.#owned.get(owner)?.values() ?? []) this.#remove(labels);
    this.#owned.delete(owner);
  }

  /** Of any owner: what these labels name is not there any more. */
  forgetThose(areGone: (labels: Labels) => boolean): void {
    for (const owned of this.#owned.values()) {
      for (const [key, { labels }] of owned) {
        if (!areGone(labels)) continue;
        this.#remove(labels);
        owned.delete(key);
      }
    }
  }

  #remove(labels: Labels): void {
    for (const metric of [this.#histogram, this.#max, this.#min]) metric.remove(labels);
  }
}
