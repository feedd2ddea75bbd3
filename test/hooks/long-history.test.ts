/** A run whose history has grown long goes on in the next one: nothing that was measured is lost on the way, or made again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Metric } from '../../crds/metric.ts';
import { eventually } from '../support/eventually.ts';
import { HookScene, type RungHookRun } from './hook-scene.ts';

let scene: HookScene;

beforeAll(async () => {
  scene = await HookScene.open();
});

afterAll(() => scene.close());

const failing = (name: string, path: string, fields: Partial<Metric>): Metric => ({
  ...{ name, interval: '250ms', successCondition: 'asInt(result) > 30' },
  provider: { web: { url: `${scene.target.origin}${path}`, jsonPath: '{$.age}' } },
  ...fields,
});

/** Replays all its runs, the first one last, so that one which goes on in another is kept; how many events each of them has. */
async function lengthsOf(run: RungHookRun): Promise<number[]> {
  const lengths: number[] = [];
  for (const runId of (await scene.runIdsOf(run)).toReversed()) lengths.push(await scene.replay(run, runId));
  return lengths;
}

test('beside bells and from metric to metric: each question is asked once, each answer counted once', async () => {
  const maxHistoryEvents = 10;
  for (const path of ['/first', '/second']) scene.target.answer(path, () => ({ value: 12 }));
  const metrics = [
    failing('first', '/first', { count: 60, failureLimit: 60 }),
    failing('second', '/second', { count: 60, failureLimit: 60 }),
  ];
  const spec = { policy: 'Ordered' as const, metrics };
  const handle = await scene.start('long', spec, {}, { maxHistoryEvents });
  const end = handle.result();
  for (let asked = 20; asked < 120; asked += 20) {
    await eventually(`it was asked ${asked} times`, () => askedInAll() >= asked);
    await scene.ring('long', 'resync');
  }
  expect(await end).toMatchObject({ phase: 'Successful' });
  expect((await scene.read('long')).status?.metricResults).toMatchObject([
    { name: 'first', count: 60, failed: 60 },
    { name: 'second', count: 60, failed: 60 },
  ]);
  expect([scene.target.asked('/first'), scene.target.asked('/second')]).toEqual([60, 60]);
  const lengths = await lengthsOf(handle);
  expect(lengths.length).toBeGreaterThan(2);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2 * maxHistoryEvents + 6);
});

const askedInAll = () => scene.target.asked('/first') + scene.target.asked('/second');

test('bells that do not end are no way to make it longer; what is measured again is not counted twice', async () => {
  const maxHistoryEvents = 10;
  scene.target.answer('/rung', (question) => ({ value: question < 40 ? 12 : 45 }));
  const spec = { metrics: [failing('rung', '/rung', { successfulLimit: 1 })] };
  const handle = await scene.start('rung', spec, {}, { maxHistoryEvents });
  const end = handle.result();
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  let rung = 0;
  while (!isOver) {
    await scene.ring('rung', 'resync').catch(() => undefined);
    rung += 1;
  }
  expect(await end).toMatchObject({ phase: 'Successful' });
  expect(rung).toBeGreaterThan(10);
  const result = (await scene.read('rung')).status?.metricResults?.[0];
  expect(result).toMatchObject({ phase: 'Successful', successful: 1 });
  expect(result?.count).toBeLessThanOrEqual(scene.target.asked('/rung'));
});
