import { describe, expect, it } from 'vitest';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, created, n, plan, r } from '../../test/support/plans.ts';
import { aPod, pods } from '../../test/support/pods.ts';
import { MOVE_ANNOTATION } from '../keys.ts';
import type { Plan } from './types.ts';

const named = (given: Pod[]) => ({ scaleStrategy: { podsToDelete: given.map(({ metadata }) => metadata.name) } });
const deleted = (p: Plan) => acts(p, 'delete').map(({ pod }) => pod);
const namesOf = (given: Pod[]) => given.map(({ metadata }) => metadata.name);

describe('podsToDelete (decision 26)', () => {
  const drain = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
  const gated = { preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } };

  it('row 37: replicas 2, three pods, two of them named: both go', () => {
    const given = pods(3, 'r2');
    const p = plan({ spec: { replicas: 2, ...named(given.slice(1)) }, pods: given });
    expect(deleted(p).sort()).toEqual(namesOf(given.slice(1)).sort());
    expect(p.moves[0]?.reason).toBe('spec.scaleStrategy.podsToDelete names it');
    expect(created(plan({ spec: { replicas: 2, ...named(given.slice(1)) }, pods: given.slice(0, 1) }))).toEqual(['r2']);
  });

  it('row 38: a running pod asks its hook first', () => {
    const given = pods(3, 'r2');
    const hookTemplates = { drain };
    const p = plan({ spec: { replicas: 3, ...gated, ...named([given[1]!]) }, hookTemplates, pods: given });
    expect(p.moves).toMatchObject([{ act: 'mark', pod: given[1]!.metadata.name, mark: { kind: 'scale-in' } }]);
  });

  it('row 39: its template is missing: nothing is deleted, and the plan says why', () => {
    const given = pods(3, 'r2');
    const p = plan({ spec: { replicas: 3, ...gated, ...named([given[1]!]) }, pods: given });
    expect(p.moves).toEqual([]);
    expect(p.blockers.map(({ reason }) => reason)).toEqual(['HookTemplateMissing']);
  });

  it('a name taken off the list again: its mark goes, its pod stays', () => {
    const mark = JSON.stringify({ kind: 'scale-in', attempt: '90', hookRun: 'run-1' });
    const marked = aPod('r2')
      .annotated({ [MOVE_ANNOTATION]: mark })
      .build();
    const p = plan({ spec: { replicas: 2, ...gated }, hookTemplates: { drain }, pods: [marked, r('r2')] });
    expect(p.moves).toMatchObject([{ act: 'unmark', pod: marked.metadata.name }]);
  });

  it('names that match no pod are ignored, and no new pod gets one', () => {
    const first = created(plan({ spec: { replicas: 1 }, pods: [] }));
    const [move] = plan({ spec: { replicas: 1 }, pods: [] }).moves;
    const scaleStrategy = { podsToDelete: ['elsewhere', move!.pod] };
    const p = plan({ spec: { replicas: 1, scaleStrategy }, pods: [] });
    expect(created(p)).toEqual(first);
    expect(p.moves[0]?.pod).not.toBe(move?.pod);
  });

  it('lowering replicas in the same edit makes it a scale-in of exactly those', () => {
    const given = pods(5, 'r2');
    const updateStrategy = { maxUnavailable: '100%' };
    const p = plan({ spec: { replicas: 3, updateStrategy, ...named(given.slice(3)) }, pods: given });
    expect(deleted(p).sort()).toEqual(namesOf(given.slice(3)).sort());
    const further = plan({ spec: { replicas: 2, updateStrategy, ...named(given.slice(3)) }, pods: given });
    expect(deleted(further)).toHaveLength(3);
    expect(deleted(further)).toEqual(expect.arrayContaining(namesOf(given.slice(3))));
  });

  it('goes no faster than the budget allows; pods that serve nobody need none', () => {
    const given = [...pods(3, 'r2'), n('r2')];
    const spec = { replicas: 4, updateStrategy: { maxUnavailable: 2 }, ...named(given) };
    const p = plan({ spec, pods: given });
    expect(deleted(p)).toHaveLength(2);
    expect(deleted(p)).toContain(given[3]!.metadata.name);
  });

  it.each([false, true])('with maxUnavailable 0 a pod of the surge comes first (paused: %s)', (paused) => {
    const given = pods(2, 'r1');
    const updateStrategy = { maxUnavailable: 0, maxSurge: 1, paused };
    const at = { allowance: { revision: 'r2', partition: 2, paused: false } };
    const spec = { replicas: 2, updateStrategy, ...named([given[0]!]) };
    const before = plan({ spec, ...at, pods: given });
    expect([created(before).length, deleted(before)]).toEqual([1, []]);
    expect(deleted(plan({ spec, ...at, pods: [...given, r('r1')] }))).toEqual([given[0]!.metadata.name]);
    expect(plan({ spec, ...at, pods: [given[1]!, r('r1')] }).moves).toEqual([]);
  });

  it('a named old pod is not updated, it goes; what comes is for the partition to say', () => {
    const given = [r('r1'), r('r1'), r('r2')];
    const spec = { replicas: 3, updateStrategy: { type: 'InplaceUpdate' as const }, ...named([given[0]!]) };
    const allowance = { revision: 'r2', partition: 2, paused: false };
    const p = plan({ spec, allowance, pods: given });
    expect(p.moves.map(({ act, pod }) => [act, pod])).toEqual([['delete', given[0]!.metadata.name]]);
    expect(created(plan({ spec, allowance, pods: given.slice(1) }))).toEqual(['r1']);
  });
});
