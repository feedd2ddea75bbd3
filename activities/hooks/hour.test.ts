/** What an hour of asking all the time costs: docs/hooks.md says it, people plan by it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MeasuringScene } from './measuring-scene.ts';
import type { ShownProgress } from './types.ts';

const HOUR_MS = 3_600_000;
/** Scheduled, started and completed, of the activity and of the workflow's task. */
const EVENTS_OF_A_SHOW = 6;

let scene: MeasuringScene;

beforeEach(async () => {
  scene = await MeasuringScene.open();
});
afterEach(() => scene.close());

it('36 events, 60 attempts and as many writes as there are times ten seconds', async () => {
  scene.answers = ['12'];
  scene.given([{ interval: '1s', successfulLimit: 1 }]);
  const begunMs = Date.now();
  let clock = begunMs;
  // Each look at the clock takes a second, else an hour would.
  scene.nowMs = () => {
    clock += 1_000;
    return clock;
  };
  let shown: ShownProgress = { state: '', untilMs: 0 };
  const seen = { shows: 0, attempts: 0 };
  while (clock < begunMs + HOUR_MS) {
    const end = await scene.measure({ shown });
    if (end.state === 'waiting') {
      seen.attempts += 1;
      clock += end.againInMs;
    } else if (end.outcome.phase === 'Running') {
      seen.shows += 1;
      shown = end.outcome.shown;
    } else throw new Error(`it has ended: ${end.outcome.phase}`);
  }
  // The first is shown when it has gone on for ten seconds, the others every ten minutes.
  expect(seen.shows * EVENTS_OF_A_SHOW).toBeLessThanOrEqual(36 + EVENTS_OF_A_SHOW);
  expect(seen.shows).toBeGreaterThan(4);
  expect(seen.attempts).toBeGreaterThan(40);
  expect(seen.attempts).toBeLessThanOrEqual(61);
  expect(scene.api.writes.length).toBeLessThanOrEqual(HOUR_MS / 10_000 + 2);
  expect(scene.api.writes.length).toBeGreaterThan(100);
  expect(scene.api.run?.status?.metricResults?.[0]?.count).toBe(scene.asked);
});

it('6 events, 2 attempts and a write where it is asked once an hour', async () => {
  scene.answers = ['12'];
  scene.given([{ interval: '1h', successfulLimit: 1 }]);
  let clock = Date.now();
  scene.nowMs = () => clock;
  const shown = { state: 'what was shown before', untilMs: clock };
  const first = await scene.measure({ shown });
  expect(first).toMatchObject({ state: 'ended', outcome: { phase: 'Running' } });
  const [writes, asked] = [scene.api.writes.length, scene.asked];
  const { shown: next } = (first as { outcome: { shown: ShownProgress } }).outcome;
  expect(await scene.measure({ shown: next })).toMatchObject({ state: 'waiting', againInMs: HOUR_MS });
  clock += HOUR_MS;
  expect(await scene.measure({ shown: next })).toMatchObject({ outcome: { phase: 'Running' } });
  expect([scene.api.writes.length - writes, scene.asked - asked]).toEqual([1, 1]);
});
