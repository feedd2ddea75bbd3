/** How long the planner takes for one plan of a large workload in the middle of its rollout; it needs no servers. */
import { planGameDeployment } from '../core/plan/game-deployment.ts';
import { planInput, pods } from '../test/support/pods.ts';

const PLANS = 21;
/** The first plans run before the engine has compiled anything. */
const WARM_UP = 5;

/** Milliseconds of the median plan of `count` pods, half of them updated, a tenth allowed to move. */
export function measurePlanner(count: number): number {
  const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: '10%' };
  const half = Math.floor(count / 2);
  const input = planInput({
    spec: { replicas: count, updateStrategy },
    pods: [...pods(half, 'r1'), ...pods(count - half, 'r2')],
  });
  for (let plan = 0; plan < WARM_UP; plan += 1) planGameDeployment(input);
  const times = Array.from({ length: PLANS }, () => timeOf(() => planGameDeployment(input)));
  return times.sort((a, b) => a - b)[Math.floor(PLANS / 2)]!;
}

function timeOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
