import { describe, expect, it } from 'vitest';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW } from '../../test/support/pods.ts';
import { ATTEMPT_LABEL, MOVE_ANNOTATION, POD_UID_LABEL } from '../keys.ts';
import type { Mark } from './types.ts';

const drain = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
const marked = (mark: Partial<Mark>) =>
  aPod('r1')
    .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ attempt: '90', hookRun: 'run', ...mark }) })
    .build();
const success = ({ metadata }: Pod) =>
  ({
    metadata: {
      name: 'run',
      creationTimestamp: iso(NOW - 1_000),
      labels: { [POD_UID_LABEL]: metadata.uid!, [ATTEMPT_LABEL]: '90' },
    },
    spec: { metrics: [] },
    status: { phase: 'Successful', finishedAt: iso(NOW - 500) },
  }) as unknown as HookRun;

type Type = NonNullable<GameDeploymentSpec['updateStrategy']>['type'];

/** What becomes of a pod whose preDelete hook has said yes to what the mark is for. */
function movesOf(mark: Partial<Mark>, type: Type, replicas: number) {
  const pod = marked(mark);
  const spec: Partial<GameDeploymentSpec> = {
    replicas,
    updateStrategy: { type, maxUnavailable: 1 },
    preDeleteUpdateStrategy: { hook: { templateName: 'drain' } },
  };
  const given = replicas === 0 ? [pod] : [pod, ...Array.from({ length: replicas - 1 }, () => r('r1'))];
  const { moves } = plan({ spec, hookTemplates: { drain }, pods: given, hookRuns: [success(pod)] });
  return moves.filter((move) => move.pod === pod.metadata.name);
}

describe('decision 36: a mark serves what it was made for', () => {
  it('a yes to a scale-in is none to an update in place: the hook is asked anew', () => {
    expect(movesOf({ kind: 'scale-in' }, 'InplaceUpdate', 3)).toMatchObject([
      { act: 'mark', mark: { kind: 'update', revision: 'r2', attempt: '100' } },
    ]);
  });

  it.each([
    ['a scale-in', 'InplaceUpdate', 0, { kind: 'scale-in' }],
    ['an update in place', 'InplaceUpdate', 3, { kind: 'update', revision: 'r2' }],
    ['a recreation', 'RollingUpdate', 3, { kind: 'update', revision: 'r2' }],
  ] as const)('a yes to a superseded update is none to %s', (_sentence, type, replicas, mark) => {
    expect(movesOf({ kind: 'update', revision: 'r0' }, type, replicas)).toMatchObject([{ act: 'mark', mark }]);
  });

  it.each<[string, Type, number, Partial<Mark>, string]>([
    ['update in place that it was made for', 'InplaceUpdate', 3, { kind: 'update', revision: 'r2' }, 'close-gate'],
    ['scale-in that it was made for', 'InplaceUpdate', 0, { kind: 'scale-in' }, 'delete'],
    ['recreation that became a scale-in', 'RollingUpdate', 0, { kind: 'update', revision: 'r2' }, 'delete'],
    ['scale-in that became a recreation', 'RollingUpdate', 3, { kind: 'scale-in' }, 'delete'],
    ['update, where the mark names no target', 'InplaceUpdate', 3, { kind: 'update' }, 'close-gate'],
    ['scale-in, where the mark says not what for', 'InplaceUpdate', 0, {}, 'delete'],
  ])('a yes opens the gate of the %s', (_sentence, type, replicas, mark, act) => {
    expect(movesOf(mark, type, replicas).map((move) => move.act)).toEqual([act]);
  });
});
