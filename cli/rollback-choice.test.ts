import { describe, expect, test } from 'vitest';
import { aHistory, inTheMiddle, templateOf } from './history-scene.ts';
import { chooseEntry, consequencesOf } from './rollback-choice.ts';

const chosen = (history = aHistory(), wanted?: string) => chooseEntry(history, wanted).number;

describe('where it goes', () => {
  test('during a rollout to the stable revision', () => {
    expect(chosen(inTheMiddle())).toBe(1);
  });

  test('at rest to the revision before', () => {
    expect(chosen()).toBe(2);
  });

  test('an edit that the controller has not seen yet is a rollout', () => {
    expect(chosen(aHistory({ spec: { template: templateOf('game:9') } }))).toBe(3);
  });

  test.each(['2', 'lobby-b'])('to the one that is named: %s', (wanted) => {
    expect(chosen(aHistory(), wanted)).toBe(2);
  });
});

describe('why it does not go', () => {
  const refusals: [string, ReturnType<typeof aHistory>, string | undefined, string][] = [
    [
      'no such revision, and what there is',
      ...([inTheMiddle(), '7'] as const),
      'gamedeployment/lobby has no revision 7: there are 1 (lobby-a, stable), 2 (lobby-b, update), 3 (lobby-c)',
    ],
    [
      'the spec asks for it already',
      ...([aHistory(), '3'] as const),
      'gamedeployment/lobby asks for revision 3 (lobby-c, stable, update) already: nothing was written',
    ],
    [
      'it is on its way back: a second try does not bring back what was left',
      ...([inTheMiddle({ spec: { template: templateOf('game:1') } }), undefined] as const),
      'gamedeployment/lobby is on its way to revision 1 (lobby-a, stable, update) already: name another one with --to-revision if you mean it',
    ],
    [
      'there is nothing before it',
      ...([aHistory({ revisions: [], pods: {} }), undefined] as const),
      'gamedeployment/lobby has no revision: there is nothing to go back to',
    ],
  ];
  test.each(refusals)('%s', (_sentence, history, wanted, sentence) => {
    expect(() => chooseEntry(history, wanted)).toThrow(sentence);
  });

  test('pods of the revision that was left say that it is on its way, too', () => {
    const history = aHistory({ pods: { 'lobby-c': 2, 'lobby-b': 1 } });
    expect(() => chooseEntry(history, undefined)).toThrow('is on its way to revision 3');
  });
});

describe('what comes of it', () => {
  const said = (history: ReturnType<typeof aHistory>, wanted?: string) =>
    consequencesOf(history, chooseEntry(history, wanted));

  test('the stable one needs no steps', () => {
    expect(said(inTheMiddle())).toEqual([
      'It is the stable one: all pods go back without steps, and what the rollout waits for is cancelled.',
      'What differs: the image of game (game:2 → game:1); pods are updated in place.',
    ]);
  });

  test('another one has steps of its own; what differs in more than images makes pods anew', () => {
    expect(said(inTheMiddle(), '3')).toEqual([
      'A new rollout to it begins, with its 2 steps.',
      'What differs: more than images, first at spec.template.spec.hostNetwork; pods are made anew.',
    ]);
  });

  test('with fallback Fail such pods are kept', () => {
    const updateStrategy = { type: 'InplaceUpdate', inPlaceUpdateStrategy: { fallback: 'Fail' } };
    const history = aHistory({ spec: { template: templateOf('game:3', { hostNetwork: true }), updateStrategy } });
    expect(said(history)[1]).toContain('are kept as they are (fallback: Fail)');
  });

  test('what keeps pods from moving is said', () => {
    const history = inTheMiddle({
      annotations: { 'holdfast.dev/suspend': 'true' },
      spec: { template: templateOf('game:2'), updateStrategy: { type: 'OnDelete', paused: true } },
    });
    expect(said(history).slice(1)).toEqual([
      'What differs: the image of game (game:2 → game:1); pods change when somebody deletes them.',
      'No pod is updated while spec.updateStrategy.paused is true.',
      'No pod is moved while the annotation holdfast.dev/suspend is "true".',
    ]);
  });
});
