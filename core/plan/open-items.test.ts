import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { iso, NOW, planInput } from '../../test/support/pods.ts';
import { planGameDeployment } from './game-deployment.ts';
import type { Unresolved } from './types.ts';

const unansweredDelete = ({ metadata: { name, uid } }: Pod): Unresolved => {
  return { act: 'delete', pod: name, uid, resourceVersion: '100', outcome: 'unknown' };
};

describe('open items', () => {
  it('an unanswered write counts as spent and is chosen again first', () => {
    const open = r('r1');
    const unresolved = [unansweredDelete(open)];
    const p = plan({
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      unresolved,
      pods: [r('r1'), open, r('r1')],
    });
    expect(acts(p, 'delete').map(({ pod }) => pod)).toEqual([open.metadata.name]);
  });
  it('an unanswered write on a pod that is not chosen any more is fenced off', () => {
    const open = r('r2');
    const unresolved = [unansweredDelete(open)];
    expect(plan({ spec: { replicas: 1 }, unresolved, pods: [open] }).moves).toMatchObject([
      { act: 'fence', pod: open.metadata.name },
    ]);
  });
  it('a name given out counts as a pod until it is seen, and is given again', () => {
    const issued = [{ pod: 'lobby-aaaaa', revision: 'r2' }];
    const unresolved = [{ act: 'create' as const, pod: 'lobby-aaaaa', outcome: 'unknown' as const }];
    const p = plan({ spec: { replicas: 2 }, stableRevision: 'r2', issued, unresolved, pods: [r('r2')] });
    expect(p.moves).toMatchObject([{ act: 'create', pod: 'lobby-aaaaa' }]);
    expect(plan({ spec: { replicas: 2 }, stableRevision: 'r2', issued, pods: [r('r2')] }).moves).toEqual([]);
  });
  it.each([
    [
      'at the target it is given up in a pause: the next plan makes a stable pod (decision 11)',
      'r2',
      ['lobby-aaaaa'],
      [],
    ],
    ['at the stable revision it is given again in a pause', 'r1', [], ['r1']],
  ])('a name given out %s', (_sentence, revision, retired, created) => {
    const issued = [{ pod: 'lobby-aaaaa', revision }];
    const unresolved = [{ act: 'create' as const, pod: 'lobby-aaaaa', outcome: 'unknown' as const }];
    const allowance = { revision: 'r2', partition: 1, paused: true };
    const p = plan({ spec: { replicas: 2 }, allowance, issued, unresolved, pods: [r('r1')] });
    expect(p.retired).toEqual(retired);
    expect(acts(p, 'create')).toMatchObject(created.map((each) => ({ revision: each })));
  });
  it('nothing is planned for an object that is suspended or being deleted', () => {
    const input = planInput({ spec: { replicas: 3 } });
    input.workload.metadata.annotations = { 'holdfast.dev/suspend': 'true' };
    expect(planGameDeployment(input).moves).toEqual([]);
    const deleted = planInput({ spec: { replicas: 3 } });
    deleted.workload.metadata.deletionTimestamp = iso(NOW);
    expect(planGameDeployment(deleted).moves).toEqual([]);
  });
});
