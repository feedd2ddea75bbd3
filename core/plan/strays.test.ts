import { describe, expect, it } from 'vitest';
import { acts, created, n, plan, r } from '../../test/support/plans.ts';
import { pods, revision } from '../../test/support/pods.ts';

const at = (partition: number, paused = false) => ({ revision: 'r2', partition, paused });
const NONE_LESS = { replicas: 3, updateStrategy: { maxUnavailable: 0, maxSurge: 1 } };
const revisions = [revision('r1', 1), revision('r2', 2), revision('r3', 3)];

describe('pods of a superseded rollout that the partition keeps (game-workloads §5, 8)', () => {
  const stray = () => [r('r2'), n('r3'), n('r3')];
  const ask = (changes = {}) => plan({ spec: NONE_LESS, revisions, allowance: at(2), pods: stray(), ...changes });

  it('broken ones go, without budget, and come back stable', () => {
    const moves = acts(ask(), 'delete');
    expect(moves).toMatchObject([{ spends: false }, { spends: false }]);
    expect(moves[0]?.reason).toBe('it is broken, and goes back from r3 to r1');
    expect(created(ask({ pods: [r('r2')] }))).toEqual(['r1', 'r1']);
  });

  it('as many as the partition gives up become new', () => {
    const one = ask({ allowance: at(1), pods: [r('r2'), n('r3'), r('r1')] });
    expect(acts(one, 'delete').map(({ reason }) => reason)).toEqual(['r3 becomes r2']);
    // Two old ones less would be one less than the partition keeps.
    const two = acts(ask({ allowance: at(1) }), 'delete');
    expect(two.map(({ reason }) => reason)).toEqual(['it is broken, and goes back from r3 to r1']);
  });

  it.each([
    ['healthy ones serve on until their turn comes', { pods: [r('r2'), r('r3'), r('r3')] }],
    ['nothing of it goes while paused', { allowance: at(2, true) }],
    ['nor under OnDelete', { spec: { ...NONE_LESS, updateStrategy: { type: 'OnDelete' } } }],
    ['a broken pod of the stable revision stays: its like would come', { pods: [r('r2'), n('r1'), n('r1')] }],
  ])('%s', (_sentence, changes) => {
    expect(ask(changes).moves).toEqual([]);
  });

  it('a healthy one is the first that the next partition gives up', () => {
    const healthy = [r('r3'), ...pods(2, 'r1')];
    const spec = { replicas: 3, updateStrategy: { maxUnavailable: 1 } };
    expect(acts(ask({ spec, pods: healthy }), 'delete')).toMatchObject([{ pod: healthy[0]!.metadata.name }]);
  });
});
