import { describe, expect, it } from 'vitest';
import { acts, created, deletedRevisions, n, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, pods } from '../../test/support/pods.ts';
import { MOVE_ANNOTATION, READINESS_GATE } from '../keys.ts';

describe('OnDelete (decision 25)', () => {
  const onDelete = { type: 'OnDelete' as const, maxUnavailable: 1 };
  const at = (partition: number, paused = false) => ({ revision: 'r2', partition, paused });

  it('38: no pod is updated, however broken, and the plan says who has to do it', () => {
    const given = [r('r1'), r('r1'), n('r1')];
    const [first] = given.map(({ metadata }) => metadata.name).sort();
    const p = plan({ spec: { replicas: 3, updateStrategy: onDelete }, pods: given });
    expect(p.moves).toEqual([]);
    expect(p.reached).toBe(false);
    expect(p.blockers.map(({ reason }) => reason)).toEqual(['PodsNotReady', 'WaitsForDeletion']);
    expect(p.blockers[1]).toMatchObject({
      message: `3 pods do not run r2 yet, such as ${first}; under type OnDelete a pod is replaced when somebody deletes it.`,
      pod: first,
    });
  });

  it('names the last one', () => {
    const given = [r('r2'), aPod('r1', 'lobby-last').build()];
    const p = plan({ spec: { replicas: 2, updateStrategy: onDelete }, pods: given });
    expect(p.blockers[0]).toMatchObject({ message: expect.stringMatching(/^Pod lobby-last does not run r2 yet; /) });
  });

  it.each<[sentence: string, partition: number, paused: boolean, old: number, revisions: string[]]>([
    ['comes back at the update revision', 0, false, 2, ['r2']],
    ['stays old where the partition keeps as many', 3, false, 2, ['r1']],
    ['comes back updated where the partition is satisfied without it', 2, false, 2, ['r2']],
    ['comes back at the stable revision in a pause', 0, true, 2, ['r1']],
  ])('a pod that somebody deletes %s', (_sentence, partition, paused, old, revisions) => {
    const spec = { replicas: 3, updateStrategy: onDelete };
    expect(created(plan({ spec, allowance: at(partition, paused), pods: pods(old, 'r1') }))).toEqual(revisions);
  });

  it('makes no pod beyond replicas: there is nothing to surge for', () => {
    const updateStrategy = { ...onDelete, maxSurge: 2 };
    expect(plan({ spec: { replicas: 3, updateStrategy }, pods: pods(3, 'r1') }).moves).toEqual([]);
  });

  it('scales in old pods first, as the other types do', () => {
    const given = [...pods(2, 'r1'), ...pods(2, 'r2')];
    expect(deletedRevisions(plan({ spec: { replicas: 3, updateStrategy: onDelete }, pods: given }), given)).toEqual([
      'r1',
    ]);
  });

  it('is reached when the last old pod was deleted and its replacement is available', () => {
    expect(plan({ spec: { replicas: 2, updateStrategy: onDelete }, pods: pods(2, 'r2') }).reached).toBe(true);
  });

  it('what the type before had begun is given back: grace and marks', () => {
    const condition = { type: READINESS_GATE, status: 'False' as const, reason: 'StartInPlaceUpdate', message: 'r2' };
    const inGrace = aPod('r1')
      .condition({ ...condition, lastTransitionTime: iso(NOW - 60_000) })
      .notReady()
      .build();
    const mark = JSON.stringify({ kind: 'update', attempt: '90', hookRun: 'run-1', revision: 'r2' });
    const marked = aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: mark })
      .build();
    const p = plan({ spec: { replicas: 2, updateStrategy: onDelete }, pods: [inGrace, marked] });
    expect(acts(p, 'open-gate').map(({ pod }) => pod)).toEqual([inGrace.metadata.name]);
    expect(acts(p, 'unmark').map(({ pod }) => pod)).toEqual([marked.metadata.name]);
    expect(p.moves).toHaveLength(2);
  });
});
