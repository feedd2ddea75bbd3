/** The ways out of a pause, each as its user types it (decisions 7 and 8). */
import { expect } from 'vitest';
import type { GameNamespace } from './game-namespace.ts';
import { canary, gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

/** Three pods, one of them updated, paused at step 1 of 2; answers the message of the Paused condition. */
export async function pausedCanary(space: GameNamespace, steps: Parameters<typeof canary>[0] = STEPS): Promise<string> {
  await space.apply(gameDeployment('lobby', { replicas: 3, ...canary(steps) }));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  await space.setImage('lobby', 'game:2');
  const message = await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
  await space.untilPods({ 'game:1': 2, 'game:2': 1 });
  return message;
}

const STEPS = [{ partition: 2 }, { pause: {} }];

const isDone = async (space: GameNamespace) => {
  await space.untilPods({ 'game:2': 3 });
  await space.untilReady('lobby');
  return space.result('lobby');
};

export const pauses: Stories = {
  'the command that the Paused condition prints resumes, as it stands': async (scene) => {
    const space = await scene.namespace('pause-command');
    const message = await pausedCanary(space);
    const command = /`temporal (workflow signal [^`]+)`/.exec(message)?.[1] ?? '';
    expect(command).toContain(`--name resume --input '{"step":1}'`);
    const words = command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
    expect((await scene.temporal(words)).code).toBe(0);
    expect((await isDone(space)).steps).toContainEqual(expect.objectContaining({ step: 1, outcome: 'resumed' }));
  },

  'the annotation whose value is printed resumes once; another value is ignored': async (scene) => {
    const space = await scene.namespace('pause-annotation');
    const message = await pausedCanary(space);
    const token = /annotation holdfast\.dev\/resume: (\S+?)\.?$/.exec(message)?.[1] ?? '';
    expect(token).toMatch(/^lobby-[^/]+\/1$/);
    const annotate = (value: string) =>
      space.kubectl('annotate', 'gamedeployment', 'lobby', '--overwrite', `holdfast.dev/resume=${value}`);
    await annotate(token.replace(/1$/, '7'));
    await space.eventually('the rollout says why it ignores the value', async () => {
      const { stdout } = await scene.temporal(['workflow', 'metadata', '-w', space.rolloutId('lobby')]);
      return stdout.includes('/7 is ignored');
    });
    await annotate(token);
    const { steps } = await isDone(space);
    expect(steps).toContainEqual(
      expect.objectContaining({ step: 1, outcome: 'resumed', by: expect.stringContaining('annotation') }),
    );
  },

  'paused changing from true to false resumes, as existing users do it': async (scene) => {
    const space = await scene.namespace('pause-spec');
    await pausedCanary(space);
    await space.patch('lobby', { spec: { updateStrategy: { paused: true } } });
    const isOffered = async () =>
      (await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep')).includes('paused: false');
    await space.eventually('the condition names paused: false', isOffered);
    await space.patch('lobby', { spec: { updateStrategy: { paused: false } } });
    const { steps } = await isDone(space);
    expect(steps).toContainEqual(
      expect.objectContaining({ step: 1, outcome: 'resumed', by: 'spec.updateStrategy.paused' }),
    );
  },

  'paused: false that was false all along resumes nothing': async (scene) => {
    const space = await scene.namespace('pause-false');
    await pausedCanary(space);
    await space.patch('lobby', { spec: { updateStrategy: { paused: false }, minReadySeconds: 1 } });
    await space.until(
      'the edit was seen',
      'lobby',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.untilPods({ 'game:1': 2, 'game:2': 1 });
  },

  'an update with a wrong step is refused in the CLI with the reason; the right one is answered': async (scene) => {
    const space = await scene.namespace('pause-update');
    await pausedCanary(space);
    const wrong = await space.update(space.rolloutId('lobby'), 'resume', { step: 4 });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stdout + wrong.stderr).toContain('The rollout is at step 1, not at step 4');
    const right = await space.update(space.rolloutId('lobby'), 'resume', {
      step: 1,
      by: 'ana',
      reason: 'looks good',
    });
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining('Resumed step 1') });
    const { steps } = await isDone(space);
    expect(steps).toContainEqual(expect.objectContaining({ step: 1, by: 'ana', reason: 'looks good' }));
    const late = await space.update(space.rolloutId('lobby'), 'resume');
    expect(late.code).not.toBe(0);
  },

  'a timed pause says until when, and can be ended early': async (scene) => {
    const space = await scene.namespace('pause-timed');
    const message = await pausedCanary(space, [{ partition: 2 }, { pause: { duration: 3_600 } }]);
    expect(message).toMatch(/until 20\d\d-.*; end it now with/);
    await space.signal(space.rolloutId('lobby'), 'resume');
    expect((await isDone(space)).outcome).toBe('Completed');
  },

  'pause by message holds what moves; resume lets it go on': async (scene) => {
    const space = await scene.namespace('pause-message');
    await pausedCanary(space, [{ partition: 2 }, { pause: {} }, { partition: 1 }]);
    await space.patch('lobby', { spec: { template: { metadata: { annotations: {} } } } });
    const before = await space.update(space.rolloutId('lobby'), 'pause');
    expect(before.stdout + before.stderr).toContain('Already paused');
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 1 });
    expect((await isDone(space)).outcome).toBe('Completed');
  },
};
