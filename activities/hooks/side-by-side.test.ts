/** Metrics of one run beside each other, and what a workflow is told of a run that goes on. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secrets } from '../../kubernetes/resource-types.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MeasuringScene } from './measuring-scene.ts';

let scene: MeasuringScene;

beforeEach(async () => {
  scene = await MeasuringScene.open();
});
afterEach(() => scene.close());

const resultOf = (name: string) => scene.api.run?.status?.metricResults?.find((result) => result.name === name);

describe('Parallel', () => {
  it('a metric that gets no answer holds up no other', async () => {
    scene.answers = ['12'];
    scene.given([{ interval: '100ms', count: 5, failureLimit: 5 }, scene.never()]);
    const measuring = scene.measure();
    await eventually('the other one has ended', () => resultOf('m')?.phase === 'Successful');
    expect([scene.asked, resultOf('never')]).toEqual([5, undefined]);
    scene.cancelling.abort(new Error('enough'));
    await expect(measuring).rejects.toThrow('enough');
  });

  it('and goes on holding up none when the minute of an attempt is over; at last it is given up', async () => {
    let passedMs = 0;
    scene.nowMs = () => Date.now() + passedMs;
    scene.answers = ['12'];
    scene.given([{ interval: '100ms', successfulLimit: 1 }, scene.never()]);
    const measuring = scene.measure();
    await eventually('both are asked', () => scene.asked >= 2);
    passedMs = 61_000;
    const asked = scene.asked;
    await eventually('the other one is asked again and again', () => scene.asked >= asked + 5);
    passedMs += 1_860_000;
    expect(await measuring).toMatchObject({ state: 'waiting', againInMs: 1 });
    expect([resultOf('m')?.count, resultOf('never')]).toEqual([scene.asked, undefined]);
  });

  it('a metric that meets a fault of ours takes none along', async () => {
    const get = scene.api.client.get;
    const faulty: typeof get = (type, ...rest) =>
      type === secrets ? Promise.reject(new TypeError('a fault')) : get(type, ...rest);
    Object.assign(scene.api.client, { get: faulty });
    const headers = [{ key: 'Token', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];
    const provider = { web: { url: scene.url, headers, jsonPath: '{.value}' } };
    scene.given([
      { interval: '10ms', count: 3 },
      { name: 'faulty', provider, consecutiveErrorLimit: 0, initialDelay: '1s' },
    ]);
    const message = 'metric faulty could not be measured: a fault of Holdfast: TypeError';
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Error', message } });
    expect(resultOf('m')).toMatchObject({ phase: 'Successful', count: 3 });
    expect(scene.warnings).toEqual(['a measurement broke down']);
  });

  it('R3, R4: one that breaks ends the run, and what still goes on is given up and counts for nothing', async () => {
    scene.answers = ['12'];
    scene.given([scene.never(), {}]);
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(scene.api.run?.status?.metricResults).toMatchObject([
      { name: 'm', phase: 'Failed', count: 1 },
      { name: 'never', phase: 'Skipped' },
    ]);
  });

  it('33: a deadline ends a measurement that goes on', async () => {
    scene.given([scene.never()]);
    scene.api.run!.spec.activeDeadlineSeconds = 1;
    const message = 'metric never not finished within activeDeadlineSeconds 1';
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Error', message } });
  });
});

describe('what a workflow shows', () => {
  const nothing = { state: '', untilMs: Number.POSITIVE_INFINITY };

  it('hears once that a metric has begun', async () => {
    scene.answers = ['12'];
    scene.hurry();
    scene.given([{ interval: '200ms', successfulLimit: 1 }]);
    const end = await scene.measure({ shown: nothing });
    expect(end).toMatchObject({
      outcome: {
        phase: 'Running',
        metrics: [
          {
            name: 'm',
            phase: 'Running',
            last: { phase: 'Failed', message: 'successCondition does not hold' },
          },
        ],
      },
    });
    expect(resultOf('m')?.count).toBe(scene.asked);
    expect(scene.api.run?.status).toMatchObject({ metric: 'm', value: '12' });
    expect(scene.api.run?.status?.nextMeasurementAt).toBeDefined();
    const { shown } = (end as { outcome: { shown: { state: string; untilMs: number } } }).outcome;
    expect(await scene.measure({ shown: { ...shown, untilMs: Number.POSITIVE_INFINITY } })).toMatchObject({
      state: 'waiting',
    });
  });

  it('hears again of a long wait once what it shows has grown old', async () => {
    scene.answers = ['12'];
    scene.given([{ interval: '1h', successfulLimit: 1 }]);
    const first = await scene.measure({ shown: nothing });
    const { state } = (first as { outcome: { shown: { state: string } } }).outcome.shown;
    expect(await scene.measure({ shown: { state, untilMs: Date.now() - 1 } })).toMatchObject({
      outcome: { phase: 'Running', metrics: [{ measured: 1 }] },
    });
    expect(await scene.measure({ shown: { state, untilMs: Number.POSITIVE_INFINITY } })).toMatchObject({
      state: 'waiting',
    });
  });

  it('never hears a value', async () => {
    scene.answers = ['12345678'];
    scene.given([{ successCondition: 'asInt(result) < 5', interval: '1h', successfulLimit: 1 }]);
    const progress = await scene.measure({ shown: nothing });
    expect(progress).toMatchObject({ outcome: { phase: 'Running' } });
    expect(JSON.stringify(progress)).not.toContain('12345678');
    scene.given([{ successCondition: 'asInt(result) < 5' }]);
    const verdict = await scene.measure();
    expect(verdict).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(JSON.stringify(verdict)).not.toContain('12345678');
  });

  it('a run that is over in a moment has no news before its verdict', async () => {
    scene.answers = ['12', '45'];
    scene.given([{ interval: '100ms', successfulLimit: 1 }]);
    expect(await scene.measure({ shown: nothing })).toMatchObject({ outcome: { phase: 'Successful' } });
  });

  it('one that shows nothing hears of a verdict only', async () => {
    scene.answers = ['12'];
    scene.given([{ interval: '1h', successfulLimit: 1 }]);
    expect(await scene.measure()).toMatchObject({ state: 'waiting' });
  });
});
