/** Pauses that stand in the spec too, for scripts of before (decision 9): what they do, and what else ends such a pause. */
import { expect } from 'vitest';
import { PAUSED_AT_ANNOTATION, WRITE_PAUSED_ANNOTATION } from '../../core/keys.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { GameNamespace } from './game-namespace.ts';
import { type Changes, canary, gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

const PAUSE = { pause: {} };
const PAUSED = 'PausedByCanaryPauseStep';
export const asksForIt = { [WRITE_PAUSED_ANNOTATION]: 'true' };

/** What the spec says of its pause: the field, and whether the mark of the engine is beside it. */
export const pauseInSpec = ({ metadata, spec }: GameWorkload): [boolean | undefined, boolean] => [
  spec.updateStrategy?.paused,
  PAUSED_AT_ANNOTATION in (metadata.annotations ?? {}),
];

/** A script of before: waits for `paused: true`, and sets it to false; `times` times. */
export async function answerPauses(space: GameNamespace<GameWorkload>, kind: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await space.kubectl('wait', `${kind}/lobby`, '--for=jsonpath={.spec.updateStrategy.paused}=true', '--timeout=90s');
    await lift(space);
  }
}

const lift = (space: GameNamespace<GameWorkload>) =>
  space.patch('lobby', { spec: { updateStrategy: { paused: false } } });

/** Three pods at `game:1`, then asked for `game:2` by these steps. */
async function begin(space: GameNamespace, steps: Parameters<typeof canary>[0], changes: Changes = {}): Promise<void> {
  await space.apply(gameDeployment('lobby', { replicas: 3, annotations: asksForIt, ...canary(steps), ...changes }));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  await space.setImage('lobby', 'game:2');
}

const isPaused = (space: GameNamespace) => space.untilReason('lobby', 'Paused', PAUSED);

const untilSpecIs = (space: GameNamespace, want: [boolean, boolean]) =>
  space.until(`paused and its mark are ${want}`, 'lobby', (workload) => {
    const [paused = false, isMarked] = pauseInSpec(workload);
    return paused === want[0] && isMarked === want[1];
  });

const isDone = async (space: GameNamespace) => {
  await space.untilPods({ 'game:2': 3 });
  await space.untilReady('lobby');
  return space.result('lobby');
};

export const writePaused: Stories = {
  'a script that sets paused: false at every pause walks through the whole canary': async (scene) => {
    const space = await scene.namespace('script');
    const everyVersion =
      'jsonpath={.spec.updateStrategy.paused} {.status.currentStepIndex} {.status.pauseConditions[0].reason}{"\\n"}';
    await begin(space, [{ partition: 2 }, PAUSE, { partition: 1 }, PAUSE, PAUSE]);
    const watching = scene.follow(['-n', space.name, 'get', 'gamedeployment/lobby', '-w', '-o', everyVersion]);
    await answerPauses(space, 'gamedeployment', 3);
    const { outcome, steps } = await isDone(space);
    expect(outcome).toBe('Completed');
    const pauses = steps.filter(({ what }) => what === 'pause until resumed');
    expect(pauses.map(({ step, outcome: end, by }) => [step, end, by])).toEqual(
      [1, 3, 4].map((step) => [step, 'resumed', 'spec.updateStrategy.paused']),
    );
    const { metadata } = await untilSpecIs(space, [false, false]);
    // The apply, the image, and of each pause the true of the engine and the false of the script: not one write more.
    expect(metadata.generation).toBe(8);
    expect((await space.events('PauseNotWritten')).length).toBe(0);
    watching.end();
    // Who reads in the status that it waits, and lifts the pause, never lifts one that is yet to be written. A pause that was lifted
    // at once may have no status of its own (docs/adr/0018).
    const isTrue = (line = '') => line.startsWith('true');
    const written = watching.lines.flatMap((line, at, all) => (isTrue(line) && !isTrue(all[at - 1]) ? [at] : []));
    const told = [1, 3, 4].map((step) => watching.lines.findIndex((line) => line.endsWith(` ${step} ${PAUSED}`)));
    expect([written.length, told.filter((at, index) => at !== -1 && at < (written[index] ?? 0))]).toEqual([3, []]);
  },

  'a resume by message takes the true back, and the next pause has one of its own': async (scene) => {
    const space = await scene.namespace('script-message');
    await begin(space, [{ partition: 2 }, PAUSE, PAUSE, { partition: 1 }]);
    expect(await isPaused(space)).toContain('spec.updateStrategy.paused: false');
    const first = await untilSpecIs(space, [true, true]);
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 1, by: 'ana' });
    await space.until('the second pause is written', 'lobby', ({ metadata }) => {
      const mark = metadata.annotations?.[PAUSED_AT_ANNOTATION];
      return mark !== undefined && mark !== first.metadata.annotations?.[PAUSED_AT_ANNOTATION];
    });
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 2, by: 'ana' });
    const { steps } = await isDone(space);
    expect(steps.filter(({ by }) => by === 'ana').map(({ step }) => step)).toEqual([1, 2]);
    await untilSpecIs(space, [false, false]);
  },

  'a timed pause that ends by itself takes the true back': async (scene) => {
    const space = await scene.namespace('script-timed');
    await begin(space, [{ partition: 2 }, { pause: { duration: 6 } }]);
    await untilSpecIs(space, [true, true]);
    expect((await isDone(space)).steps).toContainEqual(expect.objectContaining({ step: 1, outcome: 'elapsed' }));
    await untilSpecIs(space, [false, false]);
  },

  'the user’s own paused: true is his: nothing is written, and a resume by message leaves it': async (scene) => {
    const space = await scene.namespace('script-own');
    await begin(space, [{ partition: 2 }, { pause: { duration: 3_600 } }]);
    await untilSpecIs(space, [true, true]);
    await space.kubectl('annotate', 'gamedeployment/lobby', `${PAUSED_AT_ANNOTATION}-`);
    await space.until(
      'the controller has seen whose it is',
      'lobby',
      ({ status }) => status?.updateRevision !== undefined,
    );
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 1, by: 'ana' });
    expect(await space.untilReason('lobby', 'Paused', 'PausedByUser')).toContain('spec.updateStrategy.paused: true');
    expect(pauseInSpec(await space.workload('lobby'))).toEqual([true, false]);
    await lift(space);
    await isDone(space);
  },

  'an abort takes it back; the pause of the next attempt is written again': async (scene) => {
    const space = await scene.namespace('script-abort');
    await begin(space, [{ partition: 2 }, PAUSE]);
    await untilSpecIs(space, [true, true]);
    await space.signal(space.rolloutId('lobby'), 'abort', { by: 'ana' });
    await untilSpecIs(space, [false, false]);
    await space.untilPods({ 'game:1': 3 });
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    await answerPauses(space, 'gamedeployment', 1);
    expect((await isDone(space)).outcome).toBe('Completed');
  },

  'another template in the pause: the true goes with the old rollout, and the new one writes its own': async (
    scene,
  ) => {
    const space = await scene.namespace('script-template');
    await begin(space, [{ partition: 2 }, PAUSE]);
    const { status } = await untilSpecIs(space, [true, true]);
    await space.setImage('lobby', 'game:3');
    await space.untilPods({ 'game:1': 2, 'game:3': 1 });
    await isPaused(space);
    const next = await untilSpecIs(space, [true, true]);
    expect(next.status?.updateRevision).not.toBe(status?.updateRevision);
    expect(next.metadata.annotations?.[PAUSED_AT_ANNOTATION]).toContain(`${next.status?.updateRevision}/1/`);
    await lift(space);
    await space.untilPods({ 'game:3': 3 });
  },

  'whoever no longer asks for it in the pause gets the field back; the rollout stays paused': async (scene) => {
    const space = await scene.namespace('script-off');
    await begin(space, [{ partition: 2 }, PAUSE]);
    await untilSpecIs(space, [true, true]);
    await space.kubectl('annotate', 'gamedeployment/lobby', `${WRITE_PAUSED_ANNOTATION}-`);
    await untilSpecIs(space, [false, false]);
    await isPaused(space);
    await space.untilPods({ 'game:1': 2, 'game:2': 1 });
  },
};
