/** How long the planner takes for one plan of a large workload in the middle of an update in place; it needs no servers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { planGameDeployment } from '../core/plan/game-deployment.ts';
import { planGameStatefulSet } from '../core/plan/game-stateful-set.ts';
import type { PlanInput } from '../core/plan/types.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { aWorkload, planInput, revision } from '../test/support/pods.ts';
import { aSet } from '../test/support/sets.ts';
import { nodesOf, observedPods } from './observed-pods.ts';

/** Of processor time, in milliseconds. */
export interface PlannerTime {
  kind: GameWorkload['kind'];
  /** Of pods that were planned before: what all plans but the first are, for the pods that have not changed. */
  againMs: number;
  /** Of pods that were never seen before, as after a start. */
  freshMs: number;
}

/** The kernel counts processor time in ticks of up to 10 ms: single plans cannot be told apart. */
const PLANS_A_ROUND = 5;
const ROUNDS = 9;
/** The first ones run before the engine has compiled anything. */
const WARM_UP_ROUNDS = 4;

/** Of both kinds with `count` pods; a tenth of those may move. */
export function measurePlanner(count: number): PlannerTime[] {
  const strategy = { type: 'InplaceUpdate' as const };
  const deployment = aWorkload({ replicas: count, updateStrategy: { ...strategy, maxUnavailable: '10%' } });
  const rollingUpdate = { maxUnavailable: '10%' };
  const set = aSet({
    ...{ replicas: count, podManagementPolicy: 'Parallel' },
    updateStrategy: { ...strategy, rollingUpdate },
  });
  return [timeOf(deployment, planGameDeployment), timeOf(set, planGameStatefulSet)];
}

function timeOf<W extends GameWorkload>(workload: W, plan: (input: PlanInput<W>) => unknown): PlannerTime {
  const { workload: _, ...rest } = planInput({});
  const [from, to] = [revision('r1', 1), revision('r2', 2)];
  const texts = observedPods(workload, from, to).map((pod) => JSON.stringify(pod));
  const { replicas = 1 } = workload.spec;
  const fresh = (): PlanInput<W> => {
    const pods = texts.map((text) => JSON.parse(text) as Pod);
    return { ...rest, workload, revisions: [from, to], nodes: nodesOf(replicas), pods };
  };
  const known = fresh();
  const again = medianMs(() => known, plan);
  return { kind: workload.kind, againMs: again, freshMs: medianMs(fresh, plan) };
}

function medianMs<W extends GameWorkload>(inputOf: () => PlanInput<W>, plan: (input: PlanInput<W>) => unknown): number {
  const rounds = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, () => {
    const inputs = Array.from({ length: PLANS_A_ROUND }, inputOf);
    collectGarbage();
    return processorMs(() => inputs.forEach(plan)) / PLANS_A_ROUND;
  });
  return rounds.slice(WARM_UP_ROUNDS).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

/** What making the pods has left behind is none of the planner's business. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Of the processor, not of the clock: others may use it, too. */
function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
