/** What a rollout tells its workload, and by which way, against a real Temporal server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocked, humanSignal } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { signalsSent } from './rollout-history.ts';
import { type RolloutPlay, RolloutScene } from './rollout-scene.ts';

let scene: RolloutScene;

beforeAll(async () => {
  scene = await RolloutScene.open();
});

afterAll(() => scene.close());

const allowsHeard = async (play: RolloutPlay): Promise<number> => (await play.heard()).allows.length;
/** Words that the server carries from one run to the other: they leave with the workflow task that decided on them. */
const carried = async (play: RolloutPlay): Promise<string[]> => signalsSent(await play.handle.fetchHistory());

test('an allowance goes beside the workflow; one that follows from an update goes out with its answer', async () => {
  const play = await scene.start('ways', [{ partition: 3 }, { pause: {} }, { partition: 1 }, { pause: {} }]);
  await play.isAt(1);
  await play.handle.signal(humanSignal('resume'), { by: 'ana' });
  await play.isAt(3);
  expect(await carried(play)).toEqual([]);
  const before = await allowsHeard(play);
  await play.ask('abort', { by: 'bob' });
  await eventually('the workload hears of the abort', async () => (await allowsHeard(play)) > before);
  expect(await carried(play)).toContain('allow');
  await scene.replay(play);
});

test('a word about one pod stays one about that pod', async () => {
  const play = await scene.start('one-pod', [{ partition: 3 }, { pause: {} }]);
  const { number, allowance } = await play.isAt(1).then(async () => (await play.heard()).allows.at(-1)!);
  expect(allowance.partition).toBe(3);
  const why = { reason: 'GateFailed', message: 'The hook of pod lobby-a failed.' };
  await play.handle.signal(blocked, { number, sequence: 0, observedGeneration: 1, ...why });
  await play.handle.signal(humanSignal('skip'), { pod: 'lobby-a', by: 'ana', reason: 'seen' });
  const { words } = await eventually('the word is passed on', () => play.heard(), {
    until: (heard) => heard.words.length > 0,
  });
  expect(words).toEqual([{ verb: 'skip', pod: 'lobby-a', by: 'ana', reason: 'seen' }]);
});
