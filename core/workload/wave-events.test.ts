import { describe, expect, it } from 'vitest';
import type { Mark, Move, Unresolved } from '../plan/types.ts';
import { waveEvents } from './wave-events.ts';

const item = (pod: string) => ({ pod, uid: `uid-${pod}`, resourceVersion: '1', reason: 'test' });
const remove = (pod: string, more: object = {}): Move => ({ act: 'delete', ...item(pod), spends: true, ...more });
const mark = (kind: Mark['kind']): Move => ({
  ...{ act: 'mark', ...item('a'), template: 'drain' },
  mark: { kind, attempt: '1', hookRun: 'run' },
});
const patch = (more: object = {}): Move => ({
  ...{ act: 'patch-images', ...item('a'), revision: 'r2', spends: true },
  ...more,
});
const closing: Move = { act: 'close-gate', ...item('a'), revision: 'r2', thenPatch: true, spends: true };
const creating: Move = { act: 'create', pod: 'a', revision: 'r2', reason: 'test' };

const DONE = { done: 1, unresolved: [] };
const told = (moves: Move[]) => waveEvents(moves, [DONE]).map(({ reason, message }) => `${reason}: ${message}`);

describe('events of a wave, under the names of the existing operators (game-workloads §4)', () => {
  it.each<[Move, string[]]>([
    [creating, ['SuccessfulCreate: Created pod a']],
    [
      { ...creating, claims: ['data-a'] } as Move,
      ['SuccessfulCreate: Made the missing claims of pod a', 'SuccessfulCreate: Created pod a'],
    ],
    [remove('a'), ['SuccessfulDelete: Deleted pod a']],
    [remove('a', { cause: 'update' }), ['SuccessfulUpdatePodReCreate: Deleted pod a for the update']],
    [remove('a', { cause: 'failed' }), ['RecreatingFailedPod: Deleted pod a, which will not run again']],
    [remove('a', { force: true }), ['SuccessfulForce Delete: Deleted by force pod a']],
    [closing, ['UpdatingPodInPlace: Began to update in place pod a']],
    [patch(), []],
    [patch({ isHot: true }), ['SuccessfulUpdatePodHotPatch: Gave new images by hot patch to pod a']],
    [
      { act: 'patch-metadata', ...item('a'), revision: 'r2' },
      ['SuccessfulUpdatePodInPlace: Changed labels and annotations of pod a'],
    ],
    [{ act: 'open-gate', ...item('a') }, ['SuccessfulUpdatePodInPlace: Took back into service pod a']],
    [mark('scale-in'), ['HookAsked: Asked the hook of pod a']],
    [mark('updated'), ['SuccessfulCreatePostHookRun: Asked the hook after the update of pod a']],
  ])('%#: $0.act', (move, want) => {
    expect(told([move])).toEqual(want);
  });

  it('one for each kind of move, with the first names and how many more', () => {
    const moves = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((pod) => remove(pod, { cause: 'update' }));
    expect(told([...moves, remove('h')])).toEqual([
      'SuccessfulDelete: Deleted pod h',
      'SuccessfulUpdatePodReCreate: Deleted 7 pods: a, b, c, d, e and 2 more for the update',
    ]);
  });

  const refused = (move: Move, outcome: Unresolved['outcome'] = 'refused') => ({
    done: 0,
    unresolved: [{ act: move.act, pod: move.pod, outcome }],
    refusal: 'it was refused',
  });

  it.each<[string, Move]>([
    ['FailedCreate', creating],
    ['FailedDelete', remove('a')],
    ['FailedUpdatePodReCreate', remove('a', { cause: 'update' })],
    ['FailedUpdatePodInPlace', closing],
    ['FailedUpdatePodHotPatch', patch({ isHot: true })],
    ['FailedCreatePostHookRun', mark('updated')],
    ['MoveRefused', { act: 'fence', ...item('a') }],
  ])('what was refused is %s', (reason, move) => {
    expect(waveEvents([move], [refused(move)])).toEqual([{ type: 'Warning', reason, message: 'it was refused' }]);
  });

  it('what was refused, or not answered, is not told as done; the first refusal stands for all', () => {
    const [one, two, three] = [remove('a'), remove('b'), remove('c')];
    const results = [{ done: 1, unresolved: [] }, refused(one), refused(two), { ...refused(three, 'unknown') }];
    expect(waveEvents([one, two, three, remove('d')], results).map(({ message }) => message)).toEqual([
      'Deleted pod d',
      'it was refused',
    ]);
  });
});
