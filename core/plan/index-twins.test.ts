import { describe, expect, it } from 'vitest';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { indexed, numbered, rangeOf } from '../../test/support/indexes.ts';
import { acts, type plan } from '../../test/support/plans.ts';
import { iso, NOW } from '../../test/support/pods.ts';
import { MOVE_ANNOTATION } from '../keys.ts';

const drain = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
const BUDGET = { maxUnavailable: 1 };
const SURGE = { maxUnavailable: 0, maxSurge: 1 };

/** A pod that was made so many seconds ago. */
const aged = (index: number, seconds: number, name: string) =>
  numbered(index, 'r2', `lobby-${name}`).with(({ metadata }) => {
    metadata.creationTimestamp = iso(NOW - seconds * 1_000);
  });
const zero = aged(0, 500, 'zero').build();
const older = aged(1, 400, 'older').build();
const younger = aged(1, 300, 'younger').build();
const two = aged(2, 10, 'two').build();

const ask = (pods: Pod[], updateStrategy: object = BUDGET, more: Parameters<typeof indexed>[1] = {}) =>
  indexed(rangeOf(0, 3), { ...more, pods, spec: { replicas: 3, updateStrategy, ...more.spec } });
const movesOf = ({ moves }: ReturnType<typeof plan>) =>
  moves.map((move) => (move.act === 'create' ? `create #${move.index}` : `${move.act} ${move.pod.slice(6)}`));

describe('two pods with one index, since a create landed after its name was given up', () => {
  it('the younger one goes within the budget, and says why; the one that comes has an index of its own', () => {
    const p = ask([zero, older, younger]);
    const reason = 'it shares its index with pod lobby-older, and a pod with one of its own takes its place';
    expect(p.moves).toMatchObject([{ act: 'delete', pod: 'lobby-younger', spends: true, reason }]);
    expect(p.reached).toBe(false);
    expect(movesOf(ask([zero, older]))).toEqual(['create #2']);
  });

  it('of three two go, and the oldest stays, in whatever order they are seen', () => {
    const third = aged(1, 200, 'third').build();
    for (const pods of [
      [zero, older, younger, third],
      [third, younger, zero, older],
    ]) {
      const p = ask(pods, { maxUnavailable: 2 });
      expect(movesOf(p).sort()).toEqual(['delete third', 'delete younger']);
      for (const { reason } of p.moves) expect(reason).toContain('with pod lobby-older,');
    }
  });

  it('it waits where the budget has no room', () => {
    const unready = aged(2, 200, 'unready').notReady().build();
    expect(movesOf(ask([zero, older, younger, unready], BUDGET, { spec: { replicas: 4 } }))).toEqual([]);
  });

  it('where no pod can be spared the pod of the surge comes first', () => {
    expect(movesOf(ask([zero, older, younger], SURGE))).toEqual(['create #2']);
    expect(movesOf(ask([zero, older, younger, two], SURGE))).toEqual(['delete younger']);
    expect(ask([zero, older, two], SURGE)).toMatchObject({ moves: [], reached: true });
  });

  it('one that does not serve goes, whichever is older, and needs no budget', () => {
    const idle = aged(1, 400, 'idle').notReady().build();
    expect(movesOf(ask([zero, idle, younger], SURGE))).toEqual(['delete idle', 'create #2']);
  });

  it('one on a lost node may serve: the younger one goes when the budget allows it', () => {
    const lost = aged(1, 400, 'lost').node('node-9').notReady().build();
    expect(movesOf(ask([zero, lost, younger]))).toEqual([]);
    expect(movesOf(ask([zero, lost, younger], { maxUnavailable: 2 }))).toEqual(['delete younger']);
  });

  it('its gate is asked; the choice stands when the other one stops to serve', () => {
    const spec = { preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } };
    const gate = { spec, hookTemplates: { drain } };
    const [mark] = acts(ask([zero, older, younger], BUDGET, gate), 'mark');
    expect(mark).toMatchObject({ pod: 'lobby-younger', mark: { kind: 'scale-in' } });
    const marked = aged(1, 300, 'younger').annotated({
      [MOVE_ANNOTATION]: JSON.stringify('mark' in mark! && mark.mark),
    });
    const idle = aged(1, 400, 'older').notReady();
    const then = ask([zero, idle.build(), marked.build()], BUDGET, gate);
    expect(then.moves.filter(({ act, pod }) => act === 'unmark' || pod === 'lobby-older')).toEqual([]);
  });

  it.each([
    ['in a pause', { allowance: { revision: 'r2', partition: 0, paused: true } }],
    ['under OnDelete', { spec: { updateStrategy: { type: 'OnDelete' as const, ...BUDGET } } }],
    ['in a rollout', { updateRevision: 'r3', allowance: { revision: 'r3', partition: 2, paused: false } }],
  ])('also %s: it is a fault that is mended, no update', (_when, more) => {
    expect(movesOf(ask([zero, older, younger], BUDGET, more))).toEqual(['delete younger']);
  });

  it('a surplus of one takes it, not another pod', () => {
    const p = ask([zero, older, younger, two]);
    expect(movesOf(p)).toEqual(['delete younger']);
  });

  it('one that is on its way out leaves the index to the other; one that the user names goes alone', () => {
    const going = aged(1, 400, 'older').with(({ metadata }) => {
      metadata.deletionTimestamp = iso(NOW);
    });
    expect(movesOf(ask([zero, going.build(), younger, two]))).toEqual([]);
    const named = { spec: { scaleStrategy: { podsToDelete: ['lobby-older'] } } };
    expect(movesOf(ask([zero, older, younger], { maxUnavailable: 3 }, named))).toEqual(['delete older']);
  });
});
