/** HookRuns end to end: real API server, Temporal and HTTP server; workers that are killed; people who interfere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Metric } from '../../crds/metric.ts';
import { eventually } from '../support/eventually.ts';
import { HookScene } from './hook-scene.ts';

let scene: HookScene;

beforeAll(async () => {
  scene = await HookScene.open();
});

afterAll(() => scene.close());

const STEP = { kind: 'GameDeployment', name: 'lobby' };
const CANARY = { 'hookrun-type': 'canary-step', 'canary-step-index': '1', 'workload-revision': 'lobby-2' };

const metric = (path: string, fields: Partial<Metric> = {}): Metric => ({
  name: 'webtest',
  successCondition: 'asInt(result) > 30',
  provider: { web: { url: `${scene.target.origin}${path}`, jsonPath: '{$.age}' } },
  ...fields,
});

describe('a verdict', () => {
  test('of a canary step reaches the rollout; status, columns, events and history are as people expect', async () => {
    scene.target.answer('/story', (question) => (question < 3 ? { value: 12 } : { value: 45 }));
    const rollout = await scene.startRollout();
    const handle = await scene.start(
      'story',
      { metrics: [metric('/story', { interval: '1s', successfulLimit: 1 })] },
      CANARY,
    );
    expect(await handle.result()).toMatchObject({
      phase: 'Successful',
      stepIndex: 1,
      revision: 'lobby-2',
      workload: { kind: 'GameDeployment', name: 'lobby' },
    });
    expect(await rollout.result()).toEqual([{ hookRun: 'story', phase: 'Successful', message: '' }]);
    const { status } = await scene.read('story');
    expect(status?.metricResults?.[0]).toMatchObject({ phase: 'Successful', count: 3, failed: 2, successful: 1 });
    expect(await scene.kubectl('get', 'hookrun', 'story')).toMatch(/story\s+Successful\s+webtest\s+45\s/);
    const listed = await eventually('the events are there', () => scene.kubectl('get', 'events'), {
      until: (text) => text.includes('hookrun/story') && text.includes('hook run: Successful'),
    });
    expect(listed).toContain('metric webtest: Successful');
    expect(await scene.temporal('workflow', 'describe', '-w', 'hookrun/default/story')).toContain(
      'HookRun default/story',
    );
    expect(await scene.replay(handle)).toBeLessThanOrEqual(20);
  });

  test('that fails is Failed in the object and in the result', async () => {
    scene.target.answer('/fails', () => ({ value: 12 }));
    const handle = await scene.start('fails', { metrics: [metric('/fails')] });
    expect(await handle.result()).toMatchObject({
      phase: 'Failed',
      message: 'metric webtest failed: successCondition does not hold',
    });
    expect((await scene.read('fails')).status?.metricResults?.[0]?.measurements?.[0]?.value).toBe('12');
    await scene.replay(handle);
  });

  test('of a run that cannot be carried out is Error with the field, and nothing is asked', async () => {
    const exec = { name: 'm', provider: { exec: { command: ['true'] } } };
    const handle = await scene.start('unable', { metrics: [exec] });
    const message = 'spec.metrics[0].provider.exec: The provider exec is not implemented.';
    expect(await handle.result()).toMatchObject({ phase: 'Error', message });
    expect((await scene.read('unable')).status).toMatchObject({ phase: 'Error', message });
  });

  test('that stands is left alone', async () => {
    scene.target.answer('/again', () => ({ value: 45 }));
    await (await scene.start('again', { metrics: [metric('/again')] })).result();
    const before = await scene.read('again');
    expect(await (await scene.ring('again', 'resync')).result()).toMatchObject({ phase: 'Successful' });
    expect((await scene.read('again')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(scene.target.asked('/again')).toBe(1);
  });
});

describe('people', () => {
  const waiting = (path: string) => ({ metrics: [metric(path, { interval: '1h', successfulLimit: 1 })] });
  const isMeasured = (name: string) =>
    scene.seen(name, 'is measured', ({ status }) => status?.metricResults?.[0]?.count === 1);

  test('see what an hour-long wait waits for, and terminate it at once', async () => {
    scene.target.answer('/hour', () => ({ value: 12 }));
    const handle = await scene.start('hour', waiting('/hour'));
    await isMeasured('hour');
    const described = await eventually(
      'the pending activity says what it waits for',
      () => scene.temporal('workflow', 'describe', '-w', handle.workflowId),
      { until: (text) => text.includes('the next is at') },
    );
    expect(described).toContain('was measured 1 times, last Failed');
    expect(await scene.temporal('workflow', 'metadata', '-w', handle.workflowId)).toContain(
      '| webtest | Running | 1 |',
    );
    const line = /hour\s+Running\s+webtest\s+12\s+(\S+)/.exec(await scene.kubectl('get', 'hookruns', 'hour'));
    expect(Date.parse(line?.[1] ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
    const patch = '{"spec":{"terminate":true}}';
    await scene.kubectl('patch', 'hookrun', 'hour', '--type', 'merge', '-p', patch);
    await scene.ring('hour', 'changed');
    expect(await handle.result()).toMatchObject({ phase: 'Terminated' });
    expect((await scene.read('hour')).status?.metricResults?.[0]?.phase).toBe('Terminated');
    await scene.replay(handle);
  });

  test('delete a run that waits', async () => {
    scene.target.answer('/deleted', () => ({ value: 12 }));
    const handle = await scene.start('deleted', waiting('/deleted'));
    const run = await isMeasured('deleted');
    await scene.kubectl('delete', 'hookrun', 'deleted');
    await scene.ring('deleted', 'deleted', run);
    expect(await handle.result()).toEqual({ phase: 'Gone' });
  });

  test('delete the run of a canary step: its rollout hears that no verdict comes', async () => {
    scene.target.answer('/gone', () => ({ value: 12 }));
    const rollout = await scene.startRollout();
    const handle = await scene.start('gone', waiting('/gone'), CANARY, { step: STEP });
    const run = await isMeasured('gone');
    await scene.kubectl('delete', 'hookrun', 'gone');
    await scene.ring('gone', 'deleted', run);
    const message = 'it was deleted before it had a verdict';
    expect(await rollout.result()).toEqual([{ hookRun: 'gone', phase: 'Gone', message }]);
    expect(await handle.result()).toEqual({ phase: 'Gone' });
    await scene.replay(handle);
  });

  test('delete the run of a canary step while nobody looks: a workflow that finds none tells the rollout', async () => {
    const rollout = await scene.startRollout();
    const handle = await scene.ring('unseen', 'deleted', { metadata: { name: 'unseen', uid: '' } }, { step: STEP });
    expect(await rollout.result()).toMatchObject([{ hookRun: 'unseen', phase: 'Gone' }]);
    expect(await handle.result()).toEqual({ phase: 'Gone' });
  });

  test('create another one under the name of a canary step: its rollout does not wait for that', async () => {
    scene.target.answer('/first', () => ({ value: 12 }));
    scene.target.answer('/other', () => ({ value: 45 }));
    const rollout = await scene.startRollout();
    const handle = await scene.start('renamed', waiting('/first'), CANARY, { step: STEP });
    await isMeasured('renamed');
    await scene.kubectl('delete', 'hookrun', 'renamed');
    await scene.create('renamed', { metrics: [metric('/other')] });
    await scene.ring('renamed', 'added');
    expect(await rollout.result()).toMatchObject([{ hookRun: 'renamed', phase: 'Gone' }]);
    expect(await handle.result()).toMatchObject({ phase: 'Successful' });
  });

  test('create another one under its name: the next run measures that', async () => {
    scene.target.answer('/twice', () => ({ value: 12 }));
    scene.target.answer('/second', () => ({ value: 45 }));
    const first = await scene.start('twice', waiting('/twice'));
    const old = await isMeasured('twice');
    await scene.kubectl('delete', 'hookrun', 'twice');
    await scene.create('twice', { metrics: [metric('/second')] });
    await scene.ring('twice', 'added');
    expect(await first.result()).toMatchObject({ phase: 'Successful', name: 'twice' });
    expect((await scene.read('twice')).metadata.uid).not.toBe(old.metadata.uid);
    expect(scene.target.asked('/second')).toBe(1);
  });

  test('ring bells that change nothing: no measurement more, the wait goes on', async () => {
    scene.target.answer('/bells', () => ({ value: 12 }));
    const handle = await scene.start('bells', waiting('/bells'));
    await isMeasured('bells');
    for (let bell = 0; bell < 5; bell += 1) await scene.ring('bells', 'resync');
    await eventually('the bells are heard', () => handle.fetchHistory(), {
      until: ({ events = [] }) =>
        (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length === 6,
    });
    const described = await scene.temporal('workflow', 'describe', '-w', handle.workflowId);
    expect([described.includes('was measured 1 times'), scene.target.asked('/bells')]).toEqual([true, 1]);
    await handle.terminate();
  });
});

describe('a run that is to be deleted', () => {
  test('33: is, some time after its end; the verdict stays with the workflow', async () => {
    scene.target.answer('/brief', () => ({ value: 45 }));
    const handle = await scene.start('brief', { metrics: [metric('/brief')], ttlSecondsAfterFinished: 2 });
    const run = await scene.seen('brief', 'has its verdict', ({ status }) => status?.phase === 'Successful');
    expect(await handle.result()).toMatchObject({ phase: 'Successful', deleteAt: expect.any(String) });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(run.status?.finishedAt ?? '') + 2_000);
    await expect(scene.read('brief')).rejects.toThrow('404');
    expect(await scene.replay(handle)).toBeLessThanOrEqual(20);
  });

  test('and that a person deletes before its time: the verdict stays what it was', async () => {
    scene.target.answer('/early', () => ({ value: 12 }));
    const handle = await scene.start('early', { metrics: [metric('/early')], ttlSecondsAfterFinished: 3600 });
    const run = await scene.seen('early', 'has its verdict', ({ status }) => status?.phase === 'Failed');
    await scene.kubectl('delete', 'hookrun', 'early');
    await scene.ring('early', 'deleted', run);
    expect(await handle.result()).toMatchObject({ phase: 'Failed' });
    await scene.replay(handle);
  });

  test('is kept when a person takes its time away meanwhile', async () => {
    scene.target.answer('/longer', () => ({ value: 45 }));
    const handle = await scene.start('longer', { metrics: [metric('/longer')], ttlSecondsAfterFinished: 3600 });
    await scene.seen('longer', 'has its verdict', ({ status }) => status?.phase === 'Successful');
    const described = await eventually(
      'the pending activity says when it is deleted',
      () => scene.temporal('workflow', 'describe', '-w', handle.workflowId),
      { until: (text) => text.includes('is deleted at') },
    );
    expect(described).toContain('expireHookRun');
    const patch = '{"spec":{"ttlSecondsAfterFinished":null}}';
    await scene.kubectl('patch', 'hookrun', 'longer', '--type', 'merge', '-p', patch);
    await scene.ring('longer', 'changed');
    expect(await handle.result()).toMatchObject({ phase: 'Successful' });
    expect((await scene.read('longer')).status?.phase).toBe('Successful');
    await scene.replay(handle);
  });
});

describe('deaths', () => {
  /** Ten failures are one too many; each question and each count is seen. */
  const counting = (path: string) => ({
    metrics: [metric(path, { interval: '500ms', count: 30, failureLimit: 29 })],
  });

  test('39: a worker is killed while it polls: nothing is counted twice, little is asked again', async () => {
    scene.target.answer('/killed', () => ({ value: 12 }));
    const handle = await scene.start('killed', counting('/killed'));
    await eventually('some were asked', () => scene.target.asked('/killed') >= 4);
    await scene.endHookWorker('SIGKILL');
    await scene.startHookWorker();
    expect(await handle.result()).toMatchObject({ phase: 'Failed' });
    const result = (await scene.read('killed')).status?.metricResults?.[0];
    expect(result).toMatchObject({ count: 30, failed: 30 });
    expect(scene.target.asked('/killed')).toBeGreaterThanOrEqual(30);
    // What was neither in a heartbeat (at most each 8 s) nor in the object (each 10 s) is measured again.
    expect(scene.target.asked('/killed')).toBeLessThanOrEqual(30 + 20);
  });

  test('a worker that is stopped in peace keeps all that it measured', async () => {
    scene.target.answer('/stopped', () => ({ value: 12 }));
    const handle = await scene.start('stopped', counting('/stopped'));
    await eventually('some were asked', () => scene.target.asked('/stopped') >= 4);
    await scene.endHookWorker('SIGTERM');
    await scene.startHookWorker();
    expect(await handle.result()).toMatchObject({ phase: 'Failed' });
    expect(scene.target.asked('/stopped')).toBeLessThanOrEqual(31);
  });

  test('the API server is killed while a worker polls', async () => {
    scene.target.answer('/outage', (question) => (question < 12 ? { value: 12 } : { value: 45 }));
    const spec = { metrics: [metric('/outage', { interval: '500ms', successfulLimit: 1 })] };
    const handle = await scene.start('outage', spec);
    await eventually('some were asked', () => scene.target.asked('/outage') >= 2);
    await scene.stack.process('kube-apiserver').kill();
    await eventually('the success was measured', () => scene.target.asked('/outage') >= 12);
    await scene.stack.process('kube-apiserver').start();
    expect(await handle.result()).toMatchObject({ phase: 'Successful' });
    expect(await scene.read('outage')).toMatchObject({ status: { phase: 'Successful' } });
    // The verdict was told before it could be written; it is not measured again.
    expect(scene.target.asked('/outage')).toBe(12);
  });
});
