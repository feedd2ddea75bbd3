import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PodScene } from '../test/support/pod-scene.ts';
import { createMetrics, exposeTemporal } from './metrics.ts';

const PAGE = readFileSync(new URL('../docs/metrics.md', import.meta.url), 'utf8');

/** As the page names it: the two kinds share a line, and the longest and shortest are said of all durations at once. */
const onPage = (name: string): string => {
  const shared = name.replace(/_duration_seconds_(max|min)$/, '_duration_seconds');
  const ofKind = shared.replace(/^bkbcs_(gamedeployment|gamestatefulset)_/, 'bkbcs_<kind>_');
  return PAGE.includes(`\`${ofKind}\``) ? ofKind : shared;
};

test('the page of metrics names each of ours, with its labels', async () => {
  const metrics = createMetrics();
  metrics.follow(new PodScene().cluster.stores);
  exposeTemporal(metrics.registry, () => true);
  const ours = metrics.registry.getMetricsAsArray().filter(({ name }) => /^(bkbcs|holdfast)_/.test(name));
  expect(ours.length).toBeGreaterThan(30);
  expect(ours.map(({ name }) => name).filter((name) => !PAGE.includes(`\`${onPage(name)}\``))).toEqual([]);
  const labels = ours.flatMap((metric) => (metric as unknown as { labelNames: string[] }).labelNames);
  expect([...new Set(labels)].filter((label) => !PAGE.includes(`\`${label}\``))).toEqual([]);
});
