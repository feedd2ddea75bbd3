/** The preDelete gate on every path that deletes or changes a pod. */
import { expect } from 'vitest';
import type { HookRun } from '../../crds/hook-run.ts';
import type { GameNamespace } from './game-namespace.ts';
import { uidsOf } from './game-namespace.ts';
import { type Changes, gameDeployment, hookTemplate } from './manifests.ts';
import type { Stories } from './scene.ts';

const GATE = { preDeleteUpdateStrategy: { hook: { templateName: 'drained' } } };

const phasesOf = (runs: HookRun[]): string[] => runs.map(({ status }) => status?.phase ?? 'Pending').sort();

/** Three gated pods; `answer` sets what the hook's server says, `asks` counts the questions. */
async function gatedLobby(space: GameNamespace, changes: Changes = {}, metric: Record<string, unknown> = {}) {
  const { target } = space.scene;
  const path = `/${space.name}`;
  const answer = (age: number) => target.answer(path, () => ({ value: age }));
  answer(99);
  await space.apply(hookTemplate('drained', target.origin + path, metric));
  await space.apply(gameDeployment('lobby', { replicas: 3, ...GATE, ...changes }));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  return { answer, asked: () => target.asked(path) };
}

export const gates: Stories = {
  'scale-in waits for a failing hook, says so, and goes on after a retry': async (scene) => {
    const space = await scene.namespace('gate-scale-in');
    const { answer } = await gatedLobby(space);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    const message = await space.untilReason('lobby', 'Degraded', 'GateFailed');
    expect(message).toMatch(/HookRun predelete-\S+ of pod lobby-\S+ ended Failed.*send retry or skip/);
    await space.untilReason('lobby', 'Ready', 'GateFailed');
    expect(await space.pods()).toHaveLength(3);
    const { status } = await space.workload('lobby');
    expect(status?.preDeleteHookCondition).toEqual([expect.objectContaining({ phase: 'Failed' })]);
    const chosen = status?.preDeleteHookCondition?.[0]?.podName;
    answer(10);
    await space.signal(space.workloadId('lobby'), 'retry', { by: 'ana' });
    const left = await space.untilPods({ 'game:1': 2 });
    expect(left.map(({ metadata }) => metadata.name)).not.toContain(chosen);
    await space.untilReady('lobby');
    await space.untilEvent('GateFailed');
  },

  'skip lets a pod pass whose hook failed': async (scene) => {
    const space = await scene.namespace('gate-skip');
    await gatedLobby(space);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.untilReason('lobby', 'Degraded', 'GateFailed');
    await space.signal(space.workloadId('lobby'), 'skip', { by: 'ana' });
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },

  'retry: true in the spec runs failed gates once more (decision 10)': async (scene) => {
    const space = await scene.namespace('gate-spec-retry');
    const { answer } = await gatedLobby(space);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.untilReason('lobby', 'Degraded', 'GateFailed');
    answer(10);
    await space.patch('lobby', { spec: { preDeleteUpdateStrategy: { retry: true } } });
    await space.untilPods({ 'game:1': 2 });
    expect((await space.workload('lobby')).spec.preDeleteUpdateStrategy?.retry).toBe(true);
  },

  'an update in place passes the gate of each pod before it is touched': async (scene) => {
    const space = await scene.namespace('gate-in-place');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    const { answer, asked } = await gatedLobby(space, { updateStrategy });
    const uids = uidsOf(await space.pods());
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Degraded', 'GateFailed');
    await space.untilPods({ 'game:1': 3 });
    expect(asked()).toBe(1);
    answer(10);
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    expect(uidsOf(await space.untilPods({ 'game:2': 3 }))).toEqual(uids);
    await space.untilReady('lobby');
    const marks = (await space.pods()).map(({ metadata }) => metadata.annotations?.['holdfast.dev/move']);
    expect(marks).toEqual([undefined, undefined, undefined]);
    expect(
      (await space.pods()).map(({ metadata }) => metadata.annotations?.['io.tencent.bcs.dev/game-pod-deleting']),
    ).toEqual([undefined, undefined, undefined]);
    // Runs whose success was used are gone; the one that failed is kept for people.
    expect(phasesOf(await space.hookRuns())).toEqual(['Failed']);
    expect(asked()).toBeGreaterThanOrEqual(4);
  },

  'recreation passes the gate as well': async (scene) => {
    const space = await scene.namespace('gate-rolling');
    const { answer, asked } = await gatedLobby(space);
    answer(10);
    const before = uidsOf(await space.pods());
    await space.setImage('lobby', 'game:2');
    const after = uidsOf(await space.untilPods({ 'game:2': 3 }));
    expect(after.filter((uid) => before.includes(uid))).toEqual([]);
    await space.untilReady('lobby');
    expect(await space.hookRuns()).toEqual([]);
    expect(asked()).toBeGreaterThanOrEqual(3);
    await space.eventually('it is told in events', async () => {
      const reasons = (await space.events()).map(({ reason }) => reason);
      return reasons.includes('HookAsked') && reasons.includes('SuccessfulUpdatePodReCreate');
    });
  },

  'scale-out takes the mark off a pod that waits for its gate, and ends its HookRun': async (scene) => {
    const space = await scene.namespace('gate-cancel');
    await gatedLobby(space, {}, { interval: '1s', failureLimit: 1_000, successfulLimit: 1 });
    const uids = uidsOf(await space.pods());
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.until('one pod waits for its gate', 'lobby', ({ status }) => status?.waitingReplicas === 1);
    await space.eventually('the HookRun runs', async () => phasesOf(await space.hookRuns())[0] === 'Running');
    const marked = (await space.pods()).filter(
      ({ metadata }) => metadata.annotations?.['io.tencent.bcs.dev/game-pod-deleting'] === 'true',
    );
    expect(marked).toHaveLength(1);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.untilReady('lobby');
    const pods = await space.pods();
    expect(uidsOf(pods)).toEqual(uids);
    for (const { metadata } of pods) {
      expect(metadata.annotations?.['holdfast.dev/move']).toBeUndefined();
      expect(metadata.annotations?.['io.tencent.bcs.dev/game-pod-deleting']).toBeUndefined();
    }
    await space.eventually('no HookRun runs', async () => !phasesOf(await space.hookRuns()).includes('Running'));
  },

  'a hook that lets a pod go while the workload is suspended is asked again afterwards': async (scene) => {
    const space = await scene.namespace('gate-suspend');
    const { answer, asked } = await gatedLobby(space, {}, { interval: '1s', failureLimit: 1_000, successfulLimit: 1 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.until('one pod waits for its gate', 'lobby', ({ status }) => status?.waitingReplicas === 1);
    await space.kubectl('annotate', 'gamedeployment', 'lobby', 'holdfast.dev/suspend=true');
    await space.untilReason('lobby', 'Ready', 'Suspended');
    answer(10);
    await space.eventually('the mark is taken off, the run with it', async () => {
      const marks = (await space.pods()).map(({ metadata }) => metadata.annotations?.['holdfast.dev/move']);
      return marks.every((mark) => mark === undefined) && (await space.hookRuns()).length === 0;
    });
    expect(await space.pods()).toHaveLength(3);
    answer(99);
    const before = asked();
    await space.kubectl('annotate', 'gamedeployment', 'lobby', 'holdfast.dev/suspend-');
    await space.eventually('its players are back, and it is asked again', () => asked() > before);
    expect(await space.pods()).toHaveLength(3);
    answer(10);
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },
};
