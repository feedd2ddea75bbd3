import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, planInput } from '../../test/support/pods.ts';
import { aSetPod, halfWayPod, setPlan, told, updating } from '../../test/support/sets.ts';
import { ATTEMPT_LABEL, MOVE_ANNOTATION, POD_UID_LABEL, SUSPEND_ANNOTATION, UPDATED_ANNOTATION } from '../keys.ts';
import { planGameDeployment } from './game-deployment.ts';

const drain = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
const hookTemplates = { drain };
const preDeleteUpdateStrategy = { hook: { templateName: 'drain' } };
const MARK = JSON.stringify({ kind: 'update', revision: 'r2', attempt: '90', hookRun: 'run' });

describe('under OrderedReady a pod that is marked for its update waits for a slot, which waits for a pod too many to go', () => {
  const marked = aSetPod(1, 'r1').annotated({ [MOVE_ANNOTATION]: MARK });
  // Ordinal 0 is reserved: the slots are 1 and 2, which is missing; 3 is one too many.
  const ask = (pods: Pod[], maxUnavailable = 1) =>
    told(
      setPlan({
        spec: { replicas: 2, reserveOrders: [0], preDeleteUpdateStrategy, ...updating({ maxUnavailable }) },
        ...{ hookTemplates, pods },
      }),
    );
  const surplus = aSetPod(3, 'r2').build();

  it('gives up its mark, so that the surplus pod can go', () => {
    expect(ask([marked.build(), surplus])).toBe('unmark 1');
  });

  it('keeps it where the budget has room for both', () => {
    expect(ask([marked.build(), surplus], 2)).toBe('mark 3');
  });

  it('gives it up as well where it is too many itself, and not the first to go', () => {
    const slot = aSetPod(2, 'r2').build();
    const pods = [marked.build(), slot, surplus];
    const spec = { replicas: 3, reserveOrders: [0, 1, 3], preDeleteUpdateStrategy, ...updating({ maxUnavailable: 1 }) };
    expect(told(setPlan({ spec, hookTemplates, pods }))).toBe('unmark 1');
  });

  it('keeps it where that would not help: a third pod is out of service', () => {
    const broken = aSetPod(2, 'r2').node('node-2').notReady().build();
    expect(ask([marked.build(), broken, surplus])).toBe('');
  });
});

describe('under OrderedReady it waits for the pods that are half way, too', () => {
  const ask = (maxUnavailable: number) => {
    const marked = aSetPod(1, 'r1')
      .annotated({ [MOVE_ANNOTATION]: MARK })
      .build();
    const spec = { replicas: 2, preDeleteUpdateStrategy, ...updating({ maxUnavailable }, 'InplaceUpdate') };
    return told(setPlan({ spec, hookTemplates, pods: [halfWayPod(0, false), marked] }));
  };

  it('whose next container has no place in the budget until it gives up its mark', () => {
    expect(ask(1)).toBe('unmark 1');
  });

  it('and keeps it where there is room for both', () => {
    expect(ask(2)).toBe('patch-images 0');
  });
});

describe('under OrderedReady a pod that is half way and is to go after another one', () => {
  const spec = { replicas: 2, reserveOrders: [0, 1], ...updating({ maxUnavailable: 1 }, 'InplaceUpdate') };

  it('is finished until then: out of service it would take the place of that one in the budget', () => {
    const pods = [halfWayPod(0, true), ...[1, 2].map((ordinal) => aSetPod(ordinal, 'r1').build())];
    expect(told(setPlan({ spec, pods: pods.slice(0, 2) }))).toBe('patch-images 0');
  });

  it('and is not where it is the next to go', () => {
    expect(
      told(setPlan({ spec, pods: [halfWayPod(0, true), aSetPod(2, 'r2').build(), aSetPod(3, 'r2').build()] })),
    ).toBe('-0');
  });
});

describe('a pod that is named to go, and one that is marked for an update and may not move now', () => {
  const marked = aPod('r1', 'lobby-marked')
    .annotated({ [MOVE_ANNOTATION]: MARK })
    .build();
  const named = aPod('r1', 'lobby-named').build();
  const ask = (paused: boolean, podsToDelete = ['lobby-named']) =>
    plan({
      spec: {
        replicas: 3,
        preDeleteUpdateStrategy,
        updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1, paused },
        scaleStrategy: { podsToDelete },
      },
      ...{ hookTemplates, pods: [marked, named, r('r1')] },
    }).moves.map(({ act, pod }) => `${act} ${pod}`);

  it('decision 8: while updates are paused scaling goes on', () => {
    expect(ask(true)).toEqual(['unmark lobby-marked']);
  });

  it('while they are not, its turn is over soon: its missing run is created', () => {
    expect(ask(false)).toEqual(['mark lobby-marked']);
  });

  it('while they are paused and nobody waits for the budget, it keeps its mark', () => {
    expect(ask(true, [])).toEqual([]);
  });
});

describe('while updates stand still, a pod that waits for its hook', () => {
  const marked = aPod('r1', 'lobby-marked')
    .annotated({ [MOVE_ANNOTATION]: MARK })
    .build();
  const labels = { [POD_UID_LABEL]: marked.metadata.uid!, [ATTEMPT_LABEL]: '90' };
  const run = (phase: HookPhase): HookRun => ({
    ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun', spec: { metrics: [] } },
    metadata: { name: 'run', labels, creationTimestamp: iso(NOW - 60_000) },
    status: { phase },
  });
  const ask = (
    phase: HookPhase,
    more: object = { allowance: { revision: 'r2', partition: 0, paused: true } },
    spec = {},
  ) =>
    plan({
      spec: {
        replicas: 2,
        preDeleteUpdateStrategy,
        updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1 },
        ...spec,
      },
      ...{ hookTemplates, pods: [marked, r('r1')], hookRuns: [run(phase)], ...more },
    }).moves.map(({ act, pod, reason }) => `${act} ${pod}: ${reason}`);
  const again = ['unmark lobby-marked: its answer would be old when updates go on'];

  it.each<[HookPhase, string[]]>([
    ['Successful', again],
    ['Running', []],
    ['Failed', []],
  ])('game-workloads 42: whose run is %s', (phase, moves) => {
    expect(ask(phase)).toEqual(moves);
  });

  it('keeps what a person has skipped', () => {
    const paused = { allowance: { revision: 'r2', partition: 0, paused: true } };
    expect(ask('Failed', { ...paused, gates: { skippedAtMs: NOW } })).toEqual([]);
  });

  it('is asked again, too, when updates are held by a hook that failed after another one', () => {
    const owed = { kind: 'updated', attempt: '7', hookRun: 'after' };
    const updated = aPod('r2')
      .annotated({ [UPDATED_ANNOTATION]: JSON.stringify(owed) })
      .build();
    const failed = {
      ...run('Failed'),
      metadata: {
        name: 'after',
        creationTimestamp: iso(NOW - 60_000),
        labels: { [POD_UID_LABEL]: updated.metadata.uid!, [ATTEMPT_LABEL]: '7' },
      },
    };
    const postInplaceUpdateStrategy = { hook: { templateName: 'drain' } };
    const pods = [marked, updated];
    const held = { pods, hookRuns: [run('Successful'), failed] };
    expect(ask('Successful', held, { postInplaceUpdateStrategy })).toEqual(again);
  });

  it('goes at once where nothing stands still', () => {
    expect(ask('Successful', {})).toEqual([expect.stringContaining('close-gate lobby-marked')]);
  });
});

describe('while the annotation holdfast.dev/suspend freezes every move, a pod whose hook', () => {
  const chosen = (kind: 'update' | 'scale-in') =>
    aPod('r1', `lobby-${kind}`).annotated({
      [MOVE_ANNOTATION]: JSON.stringify({ kind, revision: 'r2', attempt: '90', hookRun: `run-${kind}` }),
    });
  const answered = ({ metadata }: Pod, kind: string, phase: HookPhase): HookRun => ({
    ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun', spec: { metrics: [] } },
    metadata: { name: `run-${kind}`, labels: { [POD_UID_LABEL]: metadata.uid!, [ATTEMPT_LABEL]: '90' } },
    status: { phase },
  });
  const ask = (phase: HookPhase, more: { gates?: object; deletionTimestamp?: string } = {}) => {
    const kinds = ['update', 'scale-in'] as const;
    const pods = kinds.map((kind) => chosen(kind).build());
    const hookRuns = kinds.map((kind, at) => answered(pods[at]!, kind, phase));
    const { gates = {}, deletionTimestamp } = more;
    const input = planInput({ spec: { replicas: 1, preDeleteUpdateStrategy }, hookTemplates, pods, hookRuns, gates });
    const metadata = { ...input.workload.metadata, annotations: { [SUSPEND_ANNOTATION]: 'true' }, deletionTimestamp };
    const { moves } = planGameDeployment({ ...input, workload: { ...input.workload, metadata } });
    return moves.map(({ act, pod, reason }) => `${act} ${pod}: ${reason}`);
  };
  const why = 'its answer would be old when pods are moved again';

  it.each<[string, HookPhase, string[]]>([
    ['lets it go is asked again later', 'Successful', [`unmark lobby-update: ${why}`, `unmark lobby-scale-in: ${why}`]],
    ['runs keeps its mark', 'Running', []],
    ['has failed keeps its mark', 'Failed', []],
  ])('game-workloads 42: %s', (_sentence, phase, moves) => {
    expect(ask(phase)).toEqual(moves);
  });

  it('was skipped by a person keeps its mark', () => {
    expect(ask('Failed', { gates: { skippedAtMs: NOW } })).toEqual([]);
  });

  it('lets it go is left alone where the workload is on its way out', () => {
    expect(ask('Successful', { deletionTimestamp: iso(NOW) })).toEqual([]);
  });
});
