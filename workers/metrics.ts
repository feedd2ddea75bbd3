/** What the process counts. Labels hold one of a few words, or the name of a workload that exists; nothing else. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { MoveMetrics, Stores } from '../activities/ports.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import { createHookMetrics, exposeHookRuns } from './hook-metrics.ts';
import { createPodWriteMetrics } from './pod-write-metrics.ts';
import { readVersion } from './version.ts';
import { createLookMetrics, exposeDeadlines, exposeReplicas, exposeVersion, exposeWaits } from './workload-metrics.ts';
import type { TimedWrite } from './write-timer.ts';

export interface Metrics extends MoveMetrics {
  registry: Registry;
  /** To be told of every write of this process. */
  writeListeners: ((write: TimedWrite) => void)[];
  /** What is counted of objects is shown from here on, and goes with them. */
  follow(stores: Stores): void;
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
  const looks = createLookMetrics(registry);
  const parts = [looks, createPodWriteMetrics(registry), createHookMetrics(registry)] as const;
  const [, podWrites, hooks] = parts;
  exposeVersion(registry, readVersion());
  return {
    registry,
    writeListeners: [podWrites.hear, hooks.hear],
    follow(stores) {
      for (const part of parts) part.follow(stores);
      exposeStores(registry, { ...stores });
      exposeReplicas(registry, stores);
      exposeWaits(registry, stores, Date.now);
      exposeDeadlines(registry, stores, Date.now);
      exposeHookRuns(registry, stores, Date.now);
    },
    moveEnded: (act, result) => moves.inc({ act, result }),
    planMade(workload, durationMs, isDone) {
      planned.observe(durationMs / 1000);
      looks.planMade(workload, durationMs, isDone);
    },
    bellRung: (reason, result) => bells.inc({ reason, result }),
    setElected: (isElected) => elected.set(isElected ? 1 : 0),
    watchFailed: (resource) => watches.inc({ resource }),
  };
}

/** Whether Temporal answers this process. */
export function exposeTemporal(registry: Registry, doesAnswer: () => boolean): void {
  new Gauge({
    ...{ name: 'holdfast_temporal_up', help: '1 while Temporal answers this process.', registers: [registry] },
    collect() {
      this.set(doesAnswer() ? 1 : 0);
    },
  });
}

/** How current each store is, asked when the metrics are read. */
function exposeStores(registry: Registry, stores: Record<string, StoreReader<KubernetesObject>>): void {
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
