import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { pods, revision } from '../../test/support/pods.ts';
import { aSetPod, PARALLEL, setPlan, setPods, told } from '../../test/support/sets.ts';

const target = revision('r2', 2);
Object.assign(target.template.spec, { hostNetwork: true });
/** Differs from the target by its image only. */
const like = { ...revision('r3', 3), template: structuredClone(target.template) };
like.template.spec.containers[0]!.image = 'game:r3';
const revisions = [revision('r1', 1), target, like];
const budget = { maxSurge: 1, maxUnavailable: 0 };
const inPlace = { type: 'InplaceUpdate', inPlaceUpdateStrategy: { fallback: 'Fail' } } as const;

describe('pods that cannot be updated in place and are kept (fallback Fail) need no surge', () => {
  it('of a GameDeployment', () => {
    const ask = (given: Pod[]) =>
      plan({ spec: { replicas: 2, updateStrategy: { ...inPlace, ...budget } }, revisions, pods: given });
    expect(ask(pods(2, 'r1')).moves).toEqual([]);
    expect(acts(ask([...pods(2, 'r1'), r('r2')]), 'delete')).toHaveLength(1);
    expect(acts(ask([r('r1'), r('r3')]), 'create')).toHaveLength(1);
  });

  it('of a GameStatefulSet', () => {
    const spec = { ...PARALLEL, replicas: 2, updateStrategy: { ...inPlace, rollingUpdate: budget } };
    const ask = (given: Pod[]) => told(setPlan({ spec, revisions, pods: given }));
    expect([ask(setPods('oo')), ask(setPods('oou'))]).toEqual(['', '-2']);
    expect(ask([...setPods('o'), aSetPod(1, 'r3').build()])).toBe('+2@r2');
  });
});
