/** Decision 33: a finished HookRun is deleted after its time, by its uid; not while a pod's gate needs it (decision 36). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { expireRun } from './expiry.ts';
import { HookRunDouble } from './hook-run-double.ts';

const FINISHED = Date.parse('2026-01-01T00:00:00Z');
const REQUEST = { namespace: 'default', name: 'drain', uid: 'u1' };

let api: HookRunDouble;

beforeEach(() => {
  api = new HookRunDouble();
  api.run = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'HookRun',
    metadata: {
      ...{ name: 'drain', namespace: 'default', uid: 'u1' },
      labels: { 'holdfast.dev/pod-uid': 'p1', 'instance-id': 'abcde' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'GameDeployment', name: 'lobby', uid: 'w', controller: true }],
    },
    spec: { metrics: [], ttlSecondsAfterFinished: 60 },
    status: { phase: 'Successful', finishedAt: '2026-01-01T00:00:00Z' },
  } as HookRun;
});

const expireAfter = (seconds: number, uid = 'u1') =>
  expireRun({ client: api.client, nowMs: () => FINISHED + seconds * 1000 }, { ...REQUEST, uid });

const podWith = (hookRun: string, uid = 'p1') =>
  ({
    metadata: {
      ...{ name: 'lobby-abcde', namespace: 'default', uid },
      annotations: { 'holdfast.dev/move': JSON.stringify({ kind: 'delete', attempt: '1', hookRun }) },
    },
  }) as unknown as Pod;

describe('a run that has ended', () => {
  it('is kept until its time has come', async () => {
    expect(await expireAfter(59)).toEqual({
      state: 'waiting',
      againInMs: 1000,
      message: 'is deleted at 2026-01-01T00:01:00.000Z',
    });
    expect(api.run).toBeDefined();
  });

  it('is deleted then', async () => {
    expect(await expireAfter(60)).toEqual({ state: 'ended', outcome: { phase: 'Gone' } });
    expect(api.run).toBeUndefined();
  });

  it('with time 0 at once', async () => {
    api.run!.spec.ttlSecondsAfterFinished = 0;
    expect(await expireAfter(0)).toMatchObject({ outcome: { phase: 'Gone' } });
    expect(api.run).toBeUndefined();
  });

  it('without a time is kept', async () => {
    delete api.run!.spec.ttlSecondsAfterFinished;
    expect(await expireAfter(9999)).toEqual({ state: 'ended', outcome: { phase: 'Kept' } });
    expect(api.run).toBeDefined();
  });

  it('is kept while the mark of its pod names it', async () => {
    api.pod = podWith('drain');
    expect(await expireAfter(9999)).toEqual({
      state: 'waiting',
      againInMs: 60_000,
      message: 'the gate of pod lobby-abcde still needs it',
    });
    expect(api.run).toBeDefined();
  });

  it.each([
    ['another attempt is asked', podWith('drain-2')],
    ['another pod has its name', podWith('drain', 'p2')],
    ['the mark is off', { metadata: { name: 'lobby-abcde', uid: 'p1' } } as Pod],
  ])('is deleted where %s', async (_title, pod) => {
    api.pod = pod;
    expect(await expireAfter(9999)).toMatchObject({ outcome: { phase: 'Gone' } });
    expect(api.run).toBeUndefined();
  });
});

describe('the run of a canary step', () => {
  const statusOf = (currentStepIndex: number, currentStepHookRun?: string) => ({
    updateRevision: 'lobby-2',
    currentStepIndex,
    canary: { currentStepHookRun },
  });
  const given = (status: object, uid = 'w') => {
    const step = { 'hookrun-type': 'canary-step', 'canary-step-index': '1', 'workload-revision': 'lobby-2' };
    api.run!.metadata.labels = step;
    api.run!.spec.ttlSecondsAfterFinished = 0;
    api.workload = { metadata: { name: 'lobby', uid }, status } as GameWorkload;
  };
  const held = { state: 'waiting', againInMs: 60_000, message: 'step 1 of GameDeployment lobby still needs it' };

  it('stays five minutes with time 0, too: its creation may be tried again, and the status be old', async () => {
    given({ updateRevision: 'lobby-1', currentStepIndex: 2 });
    expect(await expireAfter(299)).toMatchObject({
      state: 'waiting',
      againInMs: 1000,
      message: 'is deleted at 2026-01-01T00:05:00.000Z',
    });
    expect(api.run).toBeDefined();
  });

  it.each([
    ['has not come to the step', statusOf(0, 'canary-lobby-2-0-good')],
    ['is at the step and has no answer', statusOf(1)],
    ['is at the step and knows the run', statusOf(1, 'drain')],
  ])('is kept while its rollout %s', async (_title, status) => {
    given(status);
    expect(await expireAfter(9999)).toEqual(held);
    expect(api.run).toBeDefined();
  });

  it.each([
    ['has passed the step', statusOf(2), 'w'],
    ['is another one', { ...statusOf(1), updateRevision: 'lobby-3' }, 'w'],
    ['was aborted', { ...statusOf(0), conditions: [{ type: 'Progressing', reason: 'RolloutAborted' }] }, 'w'],
    ['has no steps any more', { updateRevision: 'lobby-2' }, 'w'],
    ['went with its workload, which was made again', statusOf(1), 'w2'],
  ])('is deleted once its rollout %s', async (_title, status, uid) => {
    given(status, uid);
    expect(await expireAfter(300)).toMatchObject({ outcome: { phase: 'Gone' } });
    expect(api.run).toBeUndefined();
  });

  it('is deleted once its workload is gone', async () => {
    given({});
    api.workload = undefined;
    expect(await expireAfter(300)).toMatchObject({ outcome: { phase: 'Gone' } });
  });
});

describe('a run that is another one', () => {
  it('is not touched', async () => {
    expect(await expireAfter(9999, 'u0')).toEqual({ state: 'ended', outcome: { phase: 'Gone', liveUid: 'u1' } });
    expect(api.run).toBeDefined();
  });

  it('is kept while it has no verdict', async () => {
    api.run!.status = { phase: 'Running', startedAt: '2026-01-01T00:00:00Z' };
    expect(await expireAfter(9999)).toMatchObject({ outcome: { phase: 'Kept' } });
  });
});
