/** `holdfast rollback` and `holdfast history` as people type them, and what the pods do then (decision 12). */
import { expect } from 'vitest';
import { startFaultProxy } from '../faults/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { type GameNamespace, livesOf, uidsOf } from './game-namespace.ts';
import { canary, gameDeployment } from './manifests.ts';
import { pausedCanary } from './pauses.ts';
import type { Said, Stories } from './scene.ts';

type Space = Pick<GameNamespace, 'name' | 'scene'>;

const holdfast = ({ scene, name }: Space, ...args: string[]): Promise<Said> => scene.holdfast([...args, '-n', name]);

/** Its answer where it is carried out. */
async function done(space: Space, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(space, ...args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Its one sentence where it is refused. */
async function refusal(space: Space, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(space, ...args);
  expect([code, stdout]).toEqual([1, '']);
  return stderr;
}

const generationOf = async (space: GameNamespace) => (await space.workload('lobby')).metadata.generation;

/** Rows of the history without names and ages: number, pods, ready, role, outcome and who. */
async function historyOf(space: GameNamespace): Promise<string[]> {
  const text = await done(space, 'history', 'gd/lobby');
  const rows = text.trimEnd().split('\n').slice(1);
  return rows.map((row) => row.replace(/^(\d+) +\S+ +\S+ +/, '$1 ').replaceAll(/ {2,}/g, ' | '));
}

export const rollbacks: Stories = {
  'in the middle of a canary it goes back to the stable revision without steps, and says how that ended': async (
    scene,
  ) => {
    const space = await scene.namespace('rollback-canary');
    await pausedCanary(space);
    const lives = livesOf(await space.pods());
    expect(await historyOf(space)).toEqual(['1 2 | 2 | stable', '2 1 | 1 | update | Paused at step 1 of 2']);
    const generation = await generationOf(space);
    const dry = await done(space, 'rollback', 'gd/lobby', '--dry-run');
    expect(dry).toMatch(/^gamedeployment\/lobby would roll back to revision 1 \(lobby-\w+, stable\)\.$/m);
    expect(dry).toMatch(/^-.*image: game:2\n\+.*image: game:1$/m);
    expect(await generationOf(space)).toBe(generation);
    const said = await done(space, 'rollback', 'gd/lobby');
    expect(said).toMatch(
      /^gamedeployment\/lobby rolls back to revision 1 .*\nIt is the stable one: .*\nWhat differs: the image of game \(game:2 → game:1\); pods are updated in place\.\n$/,
    );
    const pods = await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
    expect(uidsOf(pods).map((uid) => lives.some((life) => life.startsWith(uid)))).toEqual([true, true, true]);
    await space.eventually('the history tells how it ended', async () =>
      (await historyOf(space)).some((row) => row === '2 0 | 0 | RolledBack'),
    );
    expect(await refusal(space, 'rollback', 'gd/lobby', '--to-revision', 'nothing')).toMatch(
      /^holdfast: gamedeployment\/lobby has no revision nothing: there are 2 \(lobby-\w+\), 3 \(lobby-\w+, stable, update\)\n$/,
    );
  },

  'to a revision two back after all is done: a rollout with steps of its own': async (scene) => {
    const space = await scene.namespace('rollback-two');
    const steps = canary([{ partition: 2 }, { pause: {} }]);
    await space.apply(gameDeployment('lobby', { replicas: 3, ...canary([]) }));
    for (const image of ['game:1', 'game:2', 'game:3']) {
      if (image !== 'game:1') await space.setImage('lobby', image);
      await space.untilPods({ [image]: 3 });
      await space.untilReady('lobby');
    }
    await space.patch('lobby', { spec: steps });
    await space.untilReady('lobby');
    expect(await refusal(space, 'rollback', 'gd', 'lobby', '--to-revision', '3')).toMatch(
      /asks for revision 3 \(lobby-\w+, stable, update\) already: nothing was written\n$/,
    );
    const said = await done(space, 'rollback', 'gd', 'lobby', '--to-revision', '1');
    expect(said).toContain('A new rollout to it begins, with its 2 steps.');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.untilPods({ 'game:3': 2, 'game:1': 1 });
    await done(space, 'resume', 'gd/lobby', '--step', '1', '--by', 'ana');
    await space.untilPods({ 'game:1': 3 });
    expect((await space.result('lobby')).outcome).toBe('Completed');
    await space.untilReady('lobby');
    await space.eventually('the history tells it', async () => {
      const rows = await historyOf(space);
      return (
        rows.join() ===
        ['2 0 | 0 | Completed', '3 0 | 0 | Completed', '4 3 | 3 | stable, update | Completed | ana'].join()
      );
    });
    expect(await done(space, 'history', 'gd/lobby', '--revision', '2')).toMatch(
      /^# revision 2 .*\n[\s\S]*image: game:2$/m,
    );
    expect(await done(space, 'history', 'gd/lobby', '--revision', '2', '--diff')).toMatch(
      /^-.*image: game:2\n\+.*image: game:1$/m,
    );
    const data = JSON.parse(await done(space, 'history', 'gd/lobby', '-o', 'json'));
    expect(data.at(-1)).toMatchObject({
      revision: 4,
      pods: 3,
      roles: ['stable', 'update'],
      rollout: { outcome: 'Completed' },
    });
    expect(await done(space, 'rollback', 'gd/lobby')).toMatch(/rolls back to revision 3 /);
  },

  'an edit of the same moment is not overwritten': async (scene) => {
    const space = await scene.namespace('rollback-race');
    await pausedCanary(space);
    const proxy = await startFaultProxy({ target: { kubeconfigPath: scene.stack.kubeconfig } });
    try {
      const held = proxy.holdWrite(({ method, resource }) => method === 'PATCH' && resource === 'gamedeployments');
      const going = holdfast(space, 'rollback', 'gd/lobby', '--kubeconfig', proxy.kubeconfigPath);
      await eventually('it writes', () => held.write !== undefined, { timeoutMs: 60_000 });
      await space.setImage('lobby', 'game:3');
      held.release();
      const { code, stderr } = await going;
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/was changed by somebody else .*: nothing was written/),
      ]);
    } finally {
      await proxy.close();
    }
    await space.untilPods({ 'game:1': 2, 'game:3': 1 });
  },

  'what cannot be is refused in one sentence': async (scene) => {
    const space = await scene.namespace('rollback-refused');
    expect(await refusal(space, 'rollback', 'gsts/nobody')).toBe(
      `holdfast: There is no gamestatefulset/nobody in namespace ${space.name}\n`,
    );
    expect((await holdfast(space, 'history', 'hr/drain')).stderr).toMatch(/A HookRun has no rollouts/);
    await space.apply(gameDeployment('lobby', { replicas: 1 }));
    await space.untilReady('lobby');
    expect(await refusal(space, 'rollback', 'gd/lobby')).toBe(
      'holdfast: gamedeployment/lobby has no revision but the one that it asks for: there is nothing to go back to\n',
    );
  },
};
