/** One attempt at a HookRun that nobody disturbs, and what it says of bad input. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MeasuringScene } from './measuring-scene.ts';

let scene: MeasuringScene;

beforeEach(async () => {
  scene = await MeasuringScene.open();
});
afterEach(() => scene.close());

describe('an attempt', () => {
  it('measures, writes the status on transitions and answers what the caller needs', async () => {
    scene.given([{}]);
    expect(await scene.measure()).toMatchObject({
      state: 'ended',
      outcome: {
        phase: 'Successful',
        message: '',
        name: 'canary-r2-1-drain',
        type: 'canary-step',
        stepIndex: 1,
        revision: 'r2',
        workload: { kind: 'GameDeployment', name: 'lobby' },
      },
    });
    expect(scene.phases()).toEqual(['Running', 'Successful']);
    expect(scene.api.run?.status).toMatchObject({ metric: 'm', value: '45' });
    expect(scene.api.run?.status?.metricResults?.[0]).toMatchObject({ phase: 'Successful', successful: 1, count: 1 });
    expect(scene.api.run?.status?.metricResults?.[0]?.measurements?.[0]).toMatchObject({
      phase: 'Successful',
      value: '45',
    });
    expect(scene.events()).toEqual(['Normal Complete metric m: Successful', 'Normal Complete hook run: Successful']);
  });

  it('a failed check ends the run and says so', async () => {
    scene.answers = ['12'];
    scene.given([{}]);
    expect(await scene.measure()).toMatchObject({
      outcome: { phase: 'Failed', message: 'metric m failed: successCondition does not hold' },
    });
    expect(scene.events()).toEqual([
      'Warning Failed metric m: Failed, failed: successCondition does not hold',
      'Warning Failed hook run: Failed, metric m failed: successCondition does not hold',
    ]);
  });

  it('polls short intervals inside one attempt', async () => {
    scene.answers = ['12', '12', 503, '12', '45'];
    scene.given([{ interval: '100ms', successfulLimit: 1 }]);
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Successful' } });
    expect(scene.api.run?.status?.metricResults?.[0]).toMatchObject({ count: 4, failed: 3, error: 1, successful: 1 });
    expect(scene.phases()).toEqual(['Running', 'Running', 'Successful']);
  });

  it('32: a one-shot error is asked again after 10 s; a long wait ends the attempt', async () => {
    scene.answers = [503];
    scene.given([{ interval: '30s', count: 1 }]);
    const end = await scene.measure();
    expect(end).toMatchObject({ state: 'waiting', message: expect.stringContaining('HTTP status 503') });
    expect(end.state === 'waiting' && end.againInMs).toBeGreaterThan(28_000);
    expect(scene.api.run?.status).toMatchObject({
      phase: 'Running',
      metricResults: [{ error: 1, consecutiveError: 1 }],
    });
  });

  it('ends after a minute without a verdict, with everything written', async () => {
    scene.answers = ['12'];
    scene.hurry();
    scene.given([{ interval: '100ms', successfulLimit: 1 }]);
    expect(await scene.measure()).toMatchObject({ state: 'waiting' });
    expect(scene.api.run?.status?.metricResults?.[0]?.count).toBe(scene.asked);
    expect(scene.api.writes.length).toBeLessThanOrEqual(9);
  });
});

describe('bad input', () => {
  it('nonsense is Error with the path of the field, and nothing is asked', async () => {
    scene.given([{ successCondition: 'result >' }]);
    expect(await scene.measure()).toMatchObject({
      outcome: {
        phase: 'Error',
        message: 'spec.metrics[0].successCondition: The expression ends too early (column 9).',
      },
    });
    expect([scene.asked, scene.phases()]).toEqual([0, ['Error']]);
    expect(scene.events()[0]).toContain('Warning Failed hook run: Error, spec.metrics[0].successCondition');
  });

  it('a fault of ours is an Error that says so, and no silence', async () => {
    scene.given([{}], { args: [null as never] });
    const message = 'a fault of Holdfast: TypeError';
    expect(await scene.measure()).toMatchObject({ state: 'ended', outcome: { phase: 'Error', message } });
    expect([scene.phases(), scene.warnings]).toEqual([['Error'], ['a HookRun broke down']]);
  });

  it('35: dropped arguments are named in an event and in the message', async () => {
    scene.given([{}]);
    scene.api.change((run) => {
      run.metadata.annotations = { 'holdfast.dev/dropped-arguments': 'c,d' };
    });
    const sentence = 'arguments that the HookTemplate does not declare were dropped: c,d';
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Successful', message: sentence } });
    expect(scene.events()[0]).toBe(`Warning ArgumentsDropped ${sentence}`);
  });

  it('arguments are filled in, and a measured type error is a measurement that failed to be', async () => {
    scene.answers = ['many'];
    const web = { url: '{{ args.where }}', jsonPath: '{.value}' };
    scene.given([{ provider: { web }, interval: '60s', count: 1 }], { args: [{ name: 'where', value: scene.url }] });
    expect(await scene.measure()).toMatchObject({ state: 'waiting' });
    expect(scene.api.run?.status?.metricResults?.[0]?.measurements?.[0]).toMatchObject({
      phase: 'Error',
      message: 'successCondition: asInt cannot read a text of 4 characters as a whole number (column 1)',
    });
  });
});
