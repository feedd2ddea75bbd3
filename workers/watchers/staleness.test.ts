import { describe, expect, test } from 'vitest';
import { factsInStores, planOf } from '../../activities/observation.ts';
import { POD_UID_LABEL, SUSPEND_ANNOTATION } from '../../core/keys.ts';
import type { FirstMoments } from '../../core/status/since.ts';
import { computeStatus } from '../../core/status/status.ts';
import type { GameDeployment, GameDeploymentStatus } from '../../crds/game-deployment.ts';
import { KEY, PodScene } from '../../test/support/pod-scene.ts';
import { aPod } from '../../test/support/pods.ts';
import { aSet } from '../../test/support/sets.ts';
import { whatIsStale } from './staleness.ts';

const LOBBY = 'gamedeployment/default/lobby';

/** A settled workload of two pods at r2, with the status that was reported of it. Then something happens. */
class SettledScene extends PodScene {
  constructor() {
    super({ replicas: 2 });
    for (const name of ['lobby-a', 'lobby-b']) this.adopt(aPod('r2', name).readyFor(60_000).build());
    this.change({ metadata: { generation: 3 } });
    this.change({ status: { observedGeneration: 3, currentRevision: 'r2', updateRevision: 'r2' } });
    this.change({ status: this.#reported() });
  }

  get lobby(): GameDeployment {
    return this.cluster.all<GameDeployment>('gamedeployments')[0]!;
  }

  change({ metadata = {}, status = {} }: { metadata?: object; status?: GameDeploymentStatus }): void {
    const { lobby } = this;
    const next = { ...lobby, metadata: { ...lobby.metadata, ...metadata }, status: { ...lobby.status, ...status } };
    this.cluster.put('gamedeployments', next);
  }

  stale(): Promise<string[]> {
    return whatIsStale(this.ports);
  }

  /** The report that follows tells of reasons that have lasted since then. */
  report(since: FirstMoments): void {
    this.change({ status: this.#reported(since) });
  }

  #reported(since: FirstMoments = {}): GameDeploymentStatus {
    const context = this.context({ stableRevision: 'r2', allowance: null });
    const facts = factsInStores(this.ports, { key: KEY, context, fence: { written: {}, gone: [] } })!;
    const state = { view: null, moving: false, consumedResume: ['r1/0'], since };
    return computeStatus({ facts: facts.input, plan: planOf(facts), ...state });
  }
}

test('a settled workload is not rung', async () => {
  expect(await new SettledScene().stale()).toEqual([]);
});

test('nor one that waits, whose status says since when', async () => {
  const scene = new SettledScene();
  scene.change({ metadata: { annotations: { [SUSPEND_ANNOTATION]: 'true' } } });
  scene.report({ Suspended: scene.nowMs - 600_000 });
  expect(scene.lobby.status?.conditions?.[0]?.message).toMatch(/since/);
  expect(await scene.stale()).toEqual([]);
});

describe('what looks as if a bell had been lost', () => {
  const cases: [string, (scene: SettledScene) => unknown][] = [
    ['a generation that the status does not know', (scene) => scene.change({ metadata: { generation: 4 } })],
    ['a status that says moving', (scene) => scene.change({ status: { moving: true } })],
    ['an open rollout', (scene) => scene.change({ status: { currentRevision: 'r1' } })],
    ['a pod that should be there', (scene) => scene.cluster.remove('pods', 'lobby-a')],
    ['a pod too many', (scene) => scene.adopt(aPod('r2').readyFor(60_000).build())],
    [
      'a pod that was replaced by hand at another revision: a rollback that was lost',
      (scene) => {
        scene.cluster.remove('pods', 'lobby-a');
        scene.adopt(aPod('r1').readyFor(60_000).build());
      },
    ],
    [
      'a pod that is ready no more, though nothing is to be moved',
      (scene) =>
        scene.cluster.touch('lobby-a', (pod) => Object.assign(pod, aPod('r2', 'lobby-a').notReady(1_000).build())),
    ],
    [
      'a person who wants it suspended',
      (scene) => scene.change({ metadata: { annotations: { [SUSPEND_ANNOTATION]: 'true' } } }),
    ],
    ['a revision that is gone', (scene) => scene.cluster.remove('controllerrevisions', 'r2')],
    [
      'a condition that this release words in another way',
      (scene) =>
        scene.change({
          status: { conditions: scene.lobby.status?.conditions?.map((c) => ({ ...c, message: 'Old.' })) },
        }),
    ],
    [
      'a HookRun that no pod waits for any more',
      (scene) => {
        const creationTimestamp = new Date(scene.ports.nowMs() - 600_000).toISOString();
        const labels = { [POD_UID_LABEL]: 'gone' };
        const metadata = {
          name: 'run',
          namespace: 'default',
          labels,
          ownerReferences: [scene.owner],
          creationTimestamp,
        };
        scene.cluster.put('hookruns', { metadata, spec: { metrics: [] }, status: { phase: 'Successful' } } as never);
      },
    ],
    [
      'one that cannot be judged',
      (scene) =>
        Object.assign(scene.ports, {
          newSeed: () => {
            throw new Error('a fault');
          },
        }),
    ],
  ];
  test.each(cases)('%s', async (_, happens) => {
    const scene = new SettledScene();
    happens(scene);
    expect(await scene.stale()).toEqual([LOBBY]);
  });

  test('a HookRun that nobody seems to work on, and no other', async () => {
    const scene = new SettledScene();
    const ago = (seconds: number) => new Date(scene.ports.nowMs() - seconds * 1000).toISOString();
    const run = (name: string, status: object, fields: object = {}) => {
      const spec = { metrics: [{ name: 'm', interval: '10m', provider: {} }], ...fields };
      scene.cluster.put('hookruns', { metadata: { namespace: 'default', name }, spec, status } as never);
    };
    const measured = (seconds: number, fields: object = {}) => ({
      ...{ phase: 'Running', startedAt: ago(3600) },
      metricResults: [{ name: 'm', phase: 'Running', measurements: [{ phase: 'Failed', finishedAt: ago(seconds) }] }],
      ...fields,
    });
    run('never-begun', {});
    run('waits', measured(500));
    run('is-measured-now', measured(630));
    run('is-overdue', measured(700));
    run('is-to-end', measured(500), { terminate: true });
    run('past-its-deadline', measured(500), { activeDeadlineSeconds: 3000 });
    run('over', { phase: 'Successful', finishedAt: ago(9999) });
    run('to-be-deleted-soon', { phase: 'Failed', finishedAt: ago(50) }, { ttlSecondsAfterFinished: 60 });
    run('left-behind', { phase: 'Failed', finishedAt: ago(200) }, { ttlSecondsAfterFinished: 60 });
    const lonely = ['is-overdue', 'is-to-end', 'left-behind', 'never-begun', 'past-its-deadline'];
    expect((await scene.stale()).sort()).toEqual(lonely.map((name) => `hookrun/default/${name}`));
  });

  test.each<[string, object, string | undefined, string[]]>([
    ['that is gone', {}, undefined, ['hookrun/default/canary']],
    ['that is over', {}, 'Failed', ['hookrun/default/canary']],
    ['that is measured', {}, 'Running', []],
    [
      'that is gone, and a rollout that has heard of it',
      { pauseConditions: [{ reason: 'HookFailed' }] },
      undefined,
      [],
    ],
  ])('a HookRun of a canary step %s', async (_, status, phase, expected) => {
    const scene = new SettledScene();
    const startedAt = new Date(scene.ports.nowMs()).toISOString();
    if (phase !== undefined)
      scene.cluster.put('hookruns', {
        ...{ metadata: { namespace: 'default', name: 'canary' }, status: { phase, startedAt } },
        spec: { metrics: [{ name: 'm', interval: '10m', provider: {} }] },
      } as never);
    scene.change({ status: { canary: { revision: 'r2', currentStepHookRun: 'canary' }, ...status } });
    expect((await scene.stale()).filter((key) => key.startsWith('hookrun/'))).toEqual(expected);
  });

  test('a GameStatefulSet whose generation the status does not know', async () => {
    const scene = new SettledScene();
    const db = (name: string) => ({
      ...aSet({ replicas: 0 }),
      metadata: { namespace: 'default', name, generation: 1 },
      status: { currentRevision: 'r1', updateRevision: 'r1', moving: false },
    });
    scene.cluster.put('gamestatefulsets', db('new'));
    expect(await scene.stale()).toEqual(['gamestatefulset/default/new']);
  });
});
