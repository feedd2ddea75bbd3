import { WorkflowNotFoundError } from '@temporalio/common';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Stores } from '../../activities/ports.ts';
import { aPod } from '../../test/support/pods.ts';
import { createRinger, type Ring } from './ringer.ts';

const LOBBY = 'gamedeployment/default/lobby';
const object = (name: string, status: object = {}) => ({
  metadata: { name, namespace: 'default', uid: 'u1', generation: 3 },
  spec: {},
  status,
});
const one = (found: object | undefined) => ({ get: () => found, list: () => (found === undefined ? [] : [found]) });

let said: unknown[];
let answer: () => Promise<void>;

beforeEach(() => {
  said = [];
  answer = async () => undefined;
});

function ringerOf(stores: Partial<Record<keyof Stores, object>>): Ring {
  const workflow = {
    signalWithStart: async (type: string, { workflowId, args, signalArgs }: Record<string, unknown>) => {
      said.push({ start: type, workflowId, args, signalArgs });
      await answer();
    },
    getHandle: (workflowId: string) => ({
      signal: async (_: unknown, ...signalArgs: unknown[]) => {
        said.push({ workflowId, signalArgs });
        await answer();
      },
    }),
  };
  return createRinger({
    client: { workflow } as never,
    stores: {
      gameDeployments: one(undefined),
      hookRuns: one(undefined),
      gameStatefulSets: one(undefined),
      pods: { byIndex: () => [] },
      ...stores,
    } as never,
  });
}

test('a workload is signalled, and started where it does not run; nothing of the object is sent', async () => {
  await ringerOf({ gameDeployments: one(object('lobby')) })({ key: LOBBY, reason: 'pods' });
  expect(said).toEqual([
    {
      ...{ start: 'workload', workflowId: LOBBY },
      args: [{ key: { kind: 'GameDeployment', namespace: 'default', name: 'lobby' } }],
      signalArgs: [{ uid: 'u1', generation: 3, reason: 'pods' }],
    },
  ]);
});

test('pods that outlived their workload get a run that lets go of them, also where none runs any more', async () => {
  const pod = aPod('r1', 'lobby-a').annotated({ 'holdfast.dev/move': '{}' }).build();
  const pods = { byIndex: () => [pod] };
  await ringerOf({ pods })({ key: LOBBY, reason: 'resync' });
  await ringerOf({ pods })({ key: 'gamedeployment/default/arena', reason: 'resync' });
  const key = { kind: 'GameDeployment', namespace: 'default', name: 'lobby' };
  expect(said).toMatchObject([
    { start: 'workload', workflowId: LOBBY, args: [{ key, isLeftBehind: true }], signalArgs: [{ uid: '' }] },
    { workflowId: 'gamedeployment/default/arena', signalArgs: [{ uid: '' }] },
  ]);
});

test('a HookRun without a verdict gets its workflow', async () => {
  await ringerOf({ hookRuns: one(object('run', { phase: 'Running' })) })({
    key: 'hookrun/default/run',
    reason: 'added',
  });
  expect(said).toMatchObject([
    {
      start: 'hookRun',
      workflowId: 'hookrun/default/run',
      args: [{ namespace: 'default', name: 'run', uid: 'u1', generation: 3 }],
    },
  ]);
});

test('a HookRun that is over is left alone', async () => {
  await ringerOf({ hookRuns: one(object('run', { phase: 'Failed' })) })({
    key: 'hookrun/default/run',
    reason: 'resync',
  });
  expect(said).toEqual([]);
});

test('but for one that is to be deleted some day', async () => {
  const status = { phase: 'Failed', finishedAt: '2026-01-01T00:00:00Z' };
  const run = { ...object('run', status), spec: { ttlSecondsAfterFinished: 60 } };
  await ringerOf({ hookRuns: one(run) })({ key: 'hookrun/default/run', reason: 'resync' });
  expect(said).toMatchObject([{ start: 'hookRun', workflowId: 'hookrun/default/run' }]);
});

describe('a HookRun that a canary step waits for', () => {
  const key = 'hookrun/default/run';
  const owner = { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment', name: 'lobby', controller: true };
  const step = { kind: 'GameDeployment', name: 'lobby' };
  const waiting = {
    ...object('lobby', { canary: { revision: 'r1', currentStepHookRun: 'run' } }),
    kind: 'GameDeployment',
  };

  test('its workflow is told whose step it is', async () => {
    const run = object('run', { phase: 'Running' });
    Object.assign(run.metadata, { labels: { 'hookrun-type': 'canary-step' }, ownerReferences: [owner] });
    await ringerOf({ hookRuns: one(run) })({ key, reason: 'added' });
    expect(said).toMatchObject([{ start: 'hookRun', args: [{ uid: 'u1', step }] }]);
  });

  test('is looked for by a workflow when it is gone, as nobody else would tell the rollout', async () => {
    await ringerOf({ gameDeployments: one(waiting) })({ key, reason: 'resync' });
    expect(said).toEqual([
      {
        ...{ start: 'hookRun', workflowId: key },
        args: [{ namespace: 'default', name: 'run', uid: '', step }],
        signalArgs: [{ uid: '', reason: 'deleted' }],
      },
    ]);
    said = [];
    const other = { ...waiting, status: { canary: { currentStepHookRun: 'another' } } };
    await ringerOf({ gameDeployments: one(other) })({ key, reason: 'resync' });
    expect(said).toEqual([{ workflowId: key, signalArgs: [{ uid: '', reason: 'deleted' }] }]);
  });

  test('has its verdict told again where it was lost', async () => {
    const hookRuns = one(object('run', { phase: 'Failed' }));
    await ringerOf({ hookRuns, gameDeployments: one(waiting) })({ key, reason: 'resync' });
    expect(said).toMatchObject([{ start: 'hookRun', args: [{ uid: 'u1', step }] }]);
  });
});

test('a GameStatefulSet has a workflow of its own, also beside a GameDeployment of its name', async () => {
  const both = { gameDeployments: one(object('lobby')), gameStatefulSets: one(object('lobby')) };
  await ringerOf(both)({ key: 'gamestatefulset/default/lobby', reason: 'added' });
  expect(said).toMatchObject([
    {
      ...{ start: 'workload', workflowId: 'gamestatefulset/default/lobby' },
      args: [{ key: { kind: 'GameStatefulSet', namespace: 'default', name: 'lobby' } }],
    },
  ]);
});

describe('an object that is gone', () => {
  const bell = { key: LOBBY, reason: 'deleted' };

  test('its workflow is told, and none is started', async () => {
    await ringerOf({})(bell);
    expect(said).toEqual([{ workflowId: LOBBY, signalArgs: [{ uid: '', reason: 'deleted' }] }]);
  });

  test('a workflow that does not run has nothing to end', async () => {
    answer = () => Promise.reject(new WorkflowNotFoundError('no such run', LOBBY, undefined));
    await ringerOf({})(bell);
  });

  test('any other failure is thrown, so that it is told again', async () => {
    answer = () => Promise.reject(new Error('unavailable'));
    await expect(ringerOf({})(bell)).rejects.toThrow('unavailable');
  });
});

test('a key that is none of ours is a fault and not a silence', async () => {
  await expect(ringerOf({})({ key: 'pod/default/x', reason: 'added' })).rejects.toThrow(
    "pod/default/x is no bell's key",
  );
});
