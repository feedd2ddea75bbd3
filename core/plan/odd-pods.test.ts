/** What others have written on one pod, in whatever form, keeps no plan from being made. */
import { describe, expect, it } from 'vitest';
import { plan, r } from '../../test/support/plans.ts';
import { aPod } from '../../test/support/pods.ts';
import { aSetPod, PARALLEL, setPlan, told } from '../../test/support/sets.ts';
import { HOT_PATCH_STATE_ANNOTATION, IN_PLACE_STATE_ANNOTATION, READINESS_GATE } from '../keys.ts';

describe('conditions without a time, which the API tells as null', () => {
  const unset = { status: 'False', lastTransitionTime: null } as const;

  it.each(['Ready', READINESS_GATE])('%s of a pod of a GameDeployment', (type) => {
    const odd = aPod('r1').condition({ type, ...unset });
    const moves = plan({ spec: { replicas: 3 }, pods: [odd.build(), r('r2')] }).moves.map(({ act }) => act);
    expect(moves).toContain('create');
  });

  it('Ready of a pod of a GameStatefulSet: nobody knows for how long, so it is not broken', () => {
    const pods = [
      aSetPod(0, 'r2').build(),
      aSetPod(1, 'r1')
        .condition({ type: 'Ready', ...unset })
        .build(),
    ];
    expect(told(setPlan({ spec: { ...PARALLEL, replicas: 3 }, pods, allowance: null }))).toBe('+2@r1');
  });
});

describe('records of an update in place', () => {
  it.each([
    { is: 'no containers', record: { lastContainerStatuses: null } },
    { is: 'a container without a record', record: { lastContainerStatuses: { game: null } } },
    { is: 'a list for containers', record: { lastContainerStatuses: ['game'] } },
    { is: 'a number for what is pending', record: { lastContainerStatuses: {}, pending: 5 } },
  ])('$is', ({ record }) => {
    for (const annotation of [IN_PLACE_STATE_ANNOTATION, HOT_PATCH_STATE_ANNOTATION]) {
      const text = JSON.stringify({ revision: 'r2', ...record });
      const p = plan({
        spec: { replicas: 3 },
        pods: [
          aPod('r2')
            .annotated({ [annotation]: text })
            .build(),
          r('r2'),
        ],
      });
      expect(p.moves).toMatchObject([{ act: 'create' }]);
      expect(p.counts).toMatchObject({ available: 2, updating: 0 });
    }
  });
});
