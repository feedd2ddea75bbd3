/** What the process counts. Labels hold one of a few words, or the name of a workload that exists; nothing else. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { MoveMetrics } from '../activities/ports.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';

export interface Metrics extends MoveMetrics {
  registry: Registry;
  bellRung(reason: string, result: 'rung' | 'failed'): void;
  setElected(isElected: boolean): void;
  watchFailed(resource: string): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const moves = new Counter({
    ...{ name: 'holdfast_moves_total', help: 'Writes to pods by act and outcome.', registers },
    labelNames: ['act', 'result'],
  });
  const planned = new Histogram({
    ...{ name: 'holdfast_plan_duration_seconds', help: 'Time to plan one workload once.', registers },
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
  });
  const bells = new Counter({
    ...{ name: 'holdfast_bells_total', help: 'Bells rung to workflows, by reason and result.', registers },
    labelNames: ['reason', 'result'],
  });
  const elected = new Gauge({ name: 'holdfast_doorbell_elected', help: '1 while this process rings.', registers });
  const watches = new Counter({
    ...{ name: 'holdfast_watch_failures_total', help: 'Failures of watches, by resource.', registers },
    labelNames: ['resource'],
  });
  return {
    registry,
    moveEnded: (act, result) => moves.inc({ act, result }),
    planMade: (durationMs) => planned.observe(durationMs / 1000),
    bellRung: (reason, result) => bells.inc({ reason, result }),
    setElected: (isElected) => elected.set(isElected ? 1 : 0),
    watchFailed: (resource) => watches.inc({ resource }),
  };
}

/** How current each store is, asked when the metrics are read. */
export function exposeStores(registry: Registry, stores: Record<string, StoreReader<KubernetesObject>>): void {
  const gauge = (name: string, help: string, value: (store: StoreReader<KubernetesObject>) => number) =>
    new Gauge({
      ...{ name, help, registers: [registry], labelNames: ['store'] },
      collect() {
        for (const [store, reader] of Object.entries(stores)) this.set({ store }, value(reader));
      },
    });
  gauge('holdfast_store_fresh', '1 while the watch behind the store is believed.', (store) =>
    store.isFresh() ? 1 : 0,
  );
  gauge('holdfast_store_objects', 'Objects in the store.', ({ size }) => size);
}
