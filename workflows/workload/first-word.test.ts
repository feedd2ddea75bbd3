/** Pods that are missing when a rollout begins: they are made as its first word says, not at the revision that it leaves. */
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../activities/types.ts';
import type { Move } from '../../core/plan/types.ts';
import { allowance, carried, close, done, names, play, seen, stage } from '../../test/support/workload-stage.ts';

const create: Move = { act: 'create', pod: 'lobby-new', revision: 'r1', reason: '1 pod is missing' };
/** Settled at r1; the template has become r2. */
const settled = () => carried({ rollout: null, updateRevision: 'r1' });
const FIRST_WORD_MS = 3_000;

/** What is done until the looks are over, without what it tells. */
async function playFrom(moves: Move[], more: Partial<Observation> = {}): Promise<string[]> {
  stage.activities.createPods = () => done;
  await play([seen({ moves, isQuiet: false, ...more }), seen()], settled());
  return names().filter((name) => ['startRollout', 'wait', 'createPods', 'updatePodsInPlace'].includes(name));
}

describe('a pod is missing when a rollout begins', () => {
  it('its create waits for the word of the rollout, and is planned again', async () => {
    const view = { phase: 'Progressing', message: '' };
    const word = { uid: 'u', number: 2, sequence: 1, allowance: allowance({ partition: 0 }), view };
    stage.activities.wait = () => stage.handlers.get('allow')?.(word);
    expect((await playFrom([create])).slice(0, 3)).toEqual(['startRollout', 'wait', 'wait']);
    expect(names()).not.toContain('createPods');
    expect(stage.story.find(([name]) => name === 'wait')).toEqual(['wait', FIRST_WORD_MS]);
  });

  it('it is made where no word comes: healing needs no rollout', async () => {
    expect((await playFrom([create])).slice(0, 3)).toEqual(['startRollout', 'wait', 'createPods']);
  });

  it('nothing waits where none is missing', async () => {
    expect((await playFrom([close])).slice(0, 2)).toEqual(['startRollout', 'updatePodsInPlace']);
  });
});
