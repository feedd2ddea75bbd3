/** Plans read what stores hold and change none of it (game-workloads §5, 31): here a change of anything would throw. */
import { describe, expect, it } from 'vitest';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import { deepFreeze } from '../../test/support/deep-freeze.ts';
import { aPod, iso, NOW, planInput, pods } from '../../test/support/pods.ts';
import { PARALLEL, setInput, setPods, terminating, updating } from '../../test/support/sets.ts';
import { ATTEMPT_LABEL, MOVE_ANNOTATION, POD_UID_LABEL } from '../keys.ts';
import { planGameDeployment } from './game-deployment.ts';
import { planGameStatefulSet } from './game-stateful-set.ts';

const DRAIN = { hook: { templateName: 'drain' } };
const hookTemplates = { drain: { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate };

const marked = aPod('r1', 'lobby-0')
  .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ kind: 'update', attempt: '90', hookRun: 'run-1', revision: 'r2' }) })
  .build();
const hookRuns = [
  {
    metadata: {
      name: 'run-1',
      creationTimestamp: iso(NOW - 1000),
      labels: { [POD_UID_LABEL]: marked.metadata.uid!, [ATTEMPT_LABEL]: '90' },
    },
    spec: { metrics: [] },
    status: { phase: 'Successful' },
  } as unknown as HookRun,
];
const gated = { preDeleteUpdateStrategy: DRAIN };

describe('what a plan is made on stays as it is', () => {
  it.each([
    ['pods are missing', { spec: { replicas: 3 }, pods: pods(1, 'r2') }, 'create'],
    ['there are too many', { spec: { replicas: 1 }, pods: pods(3, 'r2'), stableRevision: 'r2' }, 'delete'],
    [
      'they are updated in place',
      { spec: { replicas: 2, ...updating({}, 'InplaceUpdate') }, pods: pods(2, 'r1') },
      'close-gate',
    ],
    ['a hook has to be asked', { spec: { replicas: 2, ...gated }, pods: pods(2, 'r1'), hookTemplates }, 'mark'],
    [
      'a hook has passed',
      { spec: { replicas: 2, ...gated }, pods: [marked, ...pods(1, 'r1')], hookTemplates, hookRuns },
      'delete',
    ],
  ] as const)('of a GameDeployment: %s', (_sentence, changes, act) => {
    const input = planInput(changes as unknown as Parameters<typeof planInput>[0]);
    deepFreeze(input);
    expect(planGameDeployment(input).moves.map((move) => move.act)).toContain(act);
  });

  it.each([
    ['an ordinal is missing', { spec: { replicas: 3 }, pods: setPods('uu') }, 'create'],
    [
      'there are too many',
      { spec: { replicas: 1, ...PARALLEL }, pods: setPods('uuu'), stableRevision: 'r2' },
      'delete',
    ],
    ['an old pod is broken', { spec: { replicas: 3, ...updating() }, pods: setPods('ooO') }, 'delete'],
    [
      'they are updated in place',
      { spec: { replicas: 2, ...updating({}, 'InplaceUpdate') }, pods: setPods('oo') },
      'close-gate',
    ],
    ['a hook has to be asked', { spec: { replicas: 2, ...gated }, pods: setPods('oo'), hookTemplates }, 'mark'],
    [
      'a pod is gone with its node',
      {
        spec: { replicas: 1 },
        ...{ updateRevision: 'r2', stableRevision: 'r2', nodes: {} },
        pods: [
          terminating(
            aPod('r2', 'lobby-0')
              .annotated({ 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete': 'true' })
              .build(),
            NOW - 10_000,
          ),
        ],
      },
      'delete',
    ],
  ] as const)('of a GameStatefulSet: %s', (_sentence, changes, act) => {
    const input = setInput(changes as unknown as Parameters<typeof setInput>[0]);
    deepFreeze(input);
    expect(planGameStatefulSet(input).moves.map((move) => move.act)).toContain(act);
  });

  it('a change would be seen', () => {
    const input = planInput({ pods: pods(2, 'r1') });
    deepFreeze(input);
    expect(() => Object.assign(input.pods[0]!.metadata.labels!, { 'controller-revision-hash': 'r2' })).toThrow(
      TypeError,
    );
    expect(() => input.pods.reverse()).toThrow(TypeError);
  });
});
