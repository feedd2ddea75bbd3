/** startRollout against a real Temporal server and the real rollout workflow: one run at a time, each with its number. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RolloutRuns, startRollout } from '../../activities/rollout-start.ts';
import type { StartRolloutRequest } from '../../activities/types.ts';
import { createRolloutRuns } from '../../workers/rollout-runs.ts';
import { rolloutId } from '../../workflows/ids.ts';
import { RolloutScene } from '../rollout/rollout-scene.ts';
import { eventually } from '../support/eventually.ts';

let scene: RolloutScene;
let runs: RolloutRuns;

beforeAll(async () => {
  scene = await RolloutScene.open();
  runs = createRolloutRuns(scene.client);
});

afterAll(async () => {
  await scene?.close();
});

const makeAttempt = (signal = new AbortController().signal) => ({ number: 1, signal, heartbeat: () => undefined });

const requestFor = (name: string, number: number, changes: Partial<StartRolloutRequest> = {}): StartRolloutRequest => ({
  key: { kind: 'GameDeployment', namespace: 'default', name },
  uid: `uid-${name}`,
  number,
  fromRevision: 'old',
  toRevision: `new-${number}`,
  rolledBack: false,
  spec: { steps: [{ pause: {} }], stepsHash: 'h', pausedByUser: false, retryGates: false },
  ...changes,
});

const start = (request: StartRolloutRequest) => startRollout(runs, request, makeAttempt());
const newest = (name: string) => runs.newest({ kind: 'GameDeployment', namespace: 'default', name });

describe('startRollout', () => {
  test('starts the first run with its memo; the same call again leaves it alone', async () => {
    expect(await start(requestFor('first', 1))).toMatchObject({ number: 1, restarted: false });
    const run = await newest('first');
    expect(run).toMatchObject({ state: 'running', memo: { number: 1, uid: 'uid-first', toRevision: 'new-1' } });
    expect(await start(requestFor('first', 1))).toMatchObject({ number: 1, restarted: false });
    expect(await newest('first')).toEqual(run);
  });

  test('a newer one supersedes it, waits for its end, and then starts', async () => {
    await start(requestFor('second', 1));
    const before = await newest('second');
    expect(await start(requestFor('second', 2))).toMatchObject({ number: 2, restarted: false });
    const id = rolloutId({ kind: 'GameDeployment', namespace: 'default', name: 'second' });
    const result = await scene.client.workflow.getHandle(id, before?.runId, { followRuns: false }).result();
    expect(result).toMatchObject({ outcome: 'Superseded', number: 1 });
    expect(await newest('second')).toMatchObject({ state: 'running', memo: { number: 2 } });
  });

  test('two calls at once start one run', async () => {
    const answers = await Promise.all([start(requestFor('race', 1)), start(requestFor('race', 1))]);
    expect(answers.map(({ number }) => number)).toEqual([1, 1]);
    expect(await newest('race')).toMatchObject({ state: 'running', memo: { number: 1 } });
  });

  test('decision 18: a run that was terminated is started again at its step, paused', async () => {
    await start(requestFor('lost', 1));
    const id = rolloutId({ kind: 'GameDeployment', namespace: 'default', name: 'lost' });
    await scene.client.workflow.getHandle(id).terminate('by a test');
    await eventually('it is terminated', newest.bind(null, 'lost'), { until: (run) => run?.state === 'lost' });
    const spec = { ...requestFor('lost', 1).spec, steps: [{ partition: 1 }, { pause: {} }] };
    const resumeAt = { stepIndex: 1, paused: true, aborted: false };
    expect(await start(requestFor('lost', 1, { spec, resumeAt }))).toMatchObject({ number: 1, restarted: true });
    expect(await newest('lost')).toMatchObject({ state: 'running', memo: { number: 1 } });
  });

  test('number 0 takes over the run to the same revision, and follows any other', async () => {
    await start(requestFor('zero', 3));
    expect(await start(requestFor('zero', 0, { toRevision: 'new-3' }))).toMatchObject({ number: 3, restarted: false });
    expect(await start(requestFor('zero', 0, { toRevision: 'other' }))).toMatchObject({ number: 4, restarted: false });
  });

  test('while it waits for a run that does not end, it can be cancelled', async () => {
    await start(requestFor('stuck', 1));
    await scene.stopWorkers();
    const abort = new AbortController();
    const reason = new Error('cancelled');
    const waitForEnd: RolloutRuns['waitForEnd'] = (...order) => {
      const end = runs.waitForEnd(...order);
      abort.abort(reason);
      return end;
    };
    const waiting = startRollout({ ...runs, waitForEnd }, requestFor('stuck', 2), makeAttempt(abort.signal));
    await expect(waiting).rejects.toBe(reason);
    await scene.startWorkers();
  });
});
