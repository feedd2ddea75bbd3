/** Canary steps as the rollout knows them, and a hash by which an edit of them is seen (game-workloads §5, 9). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { CanaryStep } from '../../crds/update-strategy.ts';
import { canonicalJson } from '../canonical-json.ts';
import { shortHash } from '../hash.ts';
import type { Step } from './types.ts';

/** The steps of a spec; empty where it has none. */
export const stepsOf = (spec: Pick<GameWorkload['spec'], 'updateStrategy'>): CanaryStep[] =>
  spec.updateStrategy?.canary?.steps ?? [];

/**
 * Hash over the fields that are set, hook arguments included; the order of keys and fields added by a later release do not
 * change it. Only ever compared with itself.
 */
export const hashSteps = (steps: CanaryStep[]): string => shortHash(canonicalJson(steps));

/** The steps without hook arguments, which may hold secrets and never enter a workflow (design §3). */
export const toSteps = (spec: Pick<GameWorkload['spec'], 'updateStrategy'>): Step[] => stepsOf(spec).map(toStep);

function toStep({ partition, pause, hook, onFailure }: CanaryStep): Step {
  return {
    ...(partition === undefined ? {} : { partition }),
    ...(pause === undefined ? {} : { pause: pause.duration === undefined ? {} : { durationSeconds: pause.duration } }),
    ...(hook === undefined ? {} : { hook: { templateName: hook.templateName } }),
    ...(onFailure === undefined ? {} : { onFailure }),
  };
}
