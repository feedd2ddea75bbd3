/** How tests of the planner ask about GameStatefulSets: pods by ordinal, plans from few words. */
import { planGameStatefulSet } from '../../core/plan/game-stateful-set.ts';
import type { Plan, PlanInput } from '../../core/plan/types.ts';
import type { GameStatefulSet, GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { deepFreeze } from './deep-freeze.ts';
import { aPod, iso, NOW, planInput, templateOf } from './pods.ts';

export const aSetPod = (ordinal: number, revision: string) => aPod(revision, `lobby-${ordinal}`);

/** One ready pod for each letter, from ordinal 0 up: `o` r1, `u` r2; in capitals not ready for a minute; `-` none. */
export function setPods(letters: string): Pod[] {
  return [...letters].flatMap((letter, ordinal) => {
    if (letter === '-') return [];
    const pod = aSetPod(ordinal, letter.toLowerCase() === 'o' ? 'r1' : 'r2');
    return [(letter === letter.toUpperCase() ? pod.notReady() : pod).build()];
  });
}

/** A pod of r2 whose first container has its new image, the second one waits for its turn; without a closed gate it serves. */
export function halfWayPod(ordinal: number, isClosed: boolean): Pod {
  const pending = { revision: 'r2', updateTimestamp: iso(NOW), lastContainerStatuses: {}, pending: ['side'] };
  const pod = aSetPod(ordinal, 'r2').annotated({ 'inplace-update-state': JSON.stringify(pending) });
  if (isClosed)
    pod.condition({ type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', message: 'r2' });
  return (isClosed ? pod.notReady(4_000) : pod)
    .with(({ spec, status }) => {
      if (!isClosed) Object.assign(spec, { readinessGates: [] });
      if (!isClosed) status!.conditions = status!.conditions!.filter(({ type }) => type === 'Ready');
      spec.containers.push({ name: 'side', image: 'side:1' });
      status!.containerStatuses!.push({ ...status!.containerStatuses![0]!, name: 'side', image: 'side:1' });
    })
    .build();
}

/** The pod, being deleted since half a minute and due in another half. */
export const terminating = (pod: Pod, dueMs = NOW + 30_000): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: iso(dueMs) },
});

export type SetChanges = Omit<Partial<PlanInput<GameStatefulSet>>, 'workload'> & {
  spec?: Partial<GameStatefulSetSpec>;
  status?: GameStatefulSet['status'];
};

export function aSet(spec: Partial<GameStatefulSetSpec> = {}): GameStatefulSet {
  return {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameStatefulSet',
    metadata: { name: 'lobby', namespace: 'default', uid: 'uid-lobby', generation: 1, resourceVersion: '1' },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: 'lobby' } },
      template: templateOf('game:r2'),
      serviceName: 'lobby',
      ...spec,
    },
  };
}

/** r1 is stable, r2 is the update revision, and pods may move to r2 with partition 0 unless told otherwise. */
export function setInput({ spec, status, ...rest }: SetChanges): PlanInput<GameStatefulSet> {
  const { workload: _, ...input } = planInput({});
  return { ...input, ...rest, workload: { ...aSet(spec), status } };
}

/** Its pods are frozen: as in a store, another version of a pod is another object. */
export function setPlan(changes: SetChanges): Plan {
  deepFreeze(changes.pods);
  return planGameStatefulSet(setInput(changes));
}

const SHORT = { create: '+', delete: '-' } as const;

/** `-4 +3@r2 ~2`: deletes, creates with their revision, and other moves, by ordinal and in the order of the plan. */
export function told({ moves }: Plan): string {
  return moves
    .map((move) => {
      const ordinal = move.pod.slice(move.pod.lastIndexOf('-') + 1);
      const sign = move.act in SHORT ? SHORT[move.act as keyof typeof SHORT] : `${move.act} `;
      return `${sign}${ordinal}${move.act === 'create' ? `@${move.revision}` : ''}`;
    })
    .join(' ');
}

export const PARALLEL = { podManagementPolicy: 'Parallel' } as const;

/** A spec with `rollingUpdate` fields and a type. */
export const updating = (
  rollingUpdate: NonNullable<NonNullable<GameStatefulSetSpec['updateStrategy']>['rollingUpdate']> = {},
  type: NonNullable<GameStatefulSetSpec['updateStrategy']>['type'] = 'RollingUpdate',
): Pick<GameStatefulSetSpec, 'updateStrategy'> => ({ updateStrategy: { type, rollingUpdate } });
