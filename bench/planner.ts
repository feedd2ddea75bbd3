/** How long the planner takes for one plan of a large workload in the middle of its rollout; it needs no servers. */
import { planGameDeployment } from '../core/plan/game-deployment.ts';
import type { PlanInput } from '../core/plan/types.ts';
import { planInput, pods } from '../test/support/pods.ts';

export interface PlannerTime {
  /** Milliseconds of the median plan of pods that were planned before: what all plans of an observation but the first are. */
  againMs: number;
  /** Of pods that were never seen before, as after a start: each comes fresh from JSON, which is not counted. */
  freshMs: number;
}

const PLANS = 21;
/** The first plans run before the engine has compiled anything. */
const WARM_UP = 10;

/** `count` pods, half of them updated, a tenth allowed to move. */
export function measurePlanner(count: number): PlannerTime {
  const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: '10%' };
  const half = Math.floor(count / 2);
  const input = planInput({
    spec: { replicas: count, updateStrategy },
    pods: [...pods(half, 'r1'), ...pods(count - half, 'r2')],
  });
  return {
    againMs: medianOf(() => input),
    freshMs: medianOf(() => ({ ...input, pods: input.pods.map((pod) => JSON.parse(JSON.stringify(pod))) })),
  };
}

function medianOf(inputOf: () => PlanInput): number {
  const times = Array.from({ length: WARM_UP + PLANS }, () => timeOf(inputOf()));
  return times.slice(WARM_UP).sort((a, b) => a - b)[Math.floor(PLANS / 2)]!;
}

/** Of the processor, not of the clock: others may use it, too. */
function timeOf(input: PlanInput): number {
  const before = process.threadCpuUsage();
  planGameDeployment(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
