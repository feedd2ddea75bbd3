/** The parts of `updateStrategy` that both game workloads share: canary steps and in-place settings. */
import { z } from 'zod';
import { hookStepSchema } from './hook-step.ts';
import type { IntOrString } from './kubernetes.ts';
import { count, intOrPercent, intOrShare } from './primitives.ts';
import { type Rule, withRules } from './rule.ts';

const canaryStepShape = z.object({
  partition: intOrShare.optional().meta({ description: 'How many pods stay at the old revision in this step.' }),
  pause: z
    .object({ duration: count.optional().meta({ description: 'Seconds; absent means until a person resumes.' }) })
    .optional(),
  hook: hookStepSchema.optional(),
  onFailure: z.enum(['pause', 'abort']).optional().meta({
    description:
      'What follows when the hook of this step fails: the rollout pauses until a person decides (pause, also where absent), or all pods go back (abort).',
  }),
});

const canaryStepSchema = withRules(canaryStepShape, [
  {
    cel: 'has(self.partition) || has(self.pause) || has(self.hook)',
    message: 'A step needs at least one of partition, pause (write "pause: {}" to wait for a person) and hook.',
    reason: 'FieldValueRequired',
    isGood: (step) => step.partition !== undefined || step.pause !== undefined || step.hook !== undefined,
  },
  {
    cel: '!has(self.onFailure) || has(self.hook)',
    message: 'onFailure says what follows when the hook of its step fails: it needs a hook.',
    reason: 'FieldValueInvalid',
    fieldPath: '.onFailure',
    isGood: (step) => step.onFailure === undefined || step.hook !== undefined,
  },
]);

export const canarySchema = z.object({
  steps: z.array(canaryStepSchema).max(256).meta({ 'x-kubernetes-list-type': 'atomic' }),
});

export const inPlaceUpdateStrategySchema = z.object({
  gracePeriodSeconds: count
    .optional()
    .meta({ description: 'Seconds between taking a pod out of service and changing its images.' }),
  policy: z.enum(['DisOrdered', 'OrderedReady', 'OrderedUpdated']).optional().meta({
    description:
      'The order in which the containers of one pod change: all at once (DisOrdered, also where absent), or as the template lists them, each when the one before runs its new image (OrderedUpdated) and is ready (OrderedReady).',
  }),
  fallback: z
    .enum(['Recreate', 'Fail'])
    .optional()
    .meta({ description: 'What to do with a change that cannot be made in place; absent means Recreate.' }),
});

export const scaleStrategySchema = z.object({
  createBatch: intOrPercent.optional().meta({
    description:
      'How many pods the first creation makes at a time; the next batch comes when the one before is available. A percentage is rounded up; absent means all.',
  }),
});

interface Budgets {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

/** Decision 20. Only what is written counts: two percentages that round to zero are the planner's to settle. */
export const someBudget: Rule<Budgets> = {
  cel: '!has(self.maxUnavailable) || !has(self.maxSurge) || !(self.maxUnavailable == 0 || self.maxUnavailable == "0%") || !(self.maxSurge == 0 || self.maxSurge == "0%")',
  message: 'maxUnavailable and maxSurge cannot both be zero, because no pod could ever be updated.',
  reason: 'FieldValueInvalid',
  fieldPath: '.maxUnavailable',
  isGood: ({ maxUnavailable, maxSurge }) => !(isZero(maxUnavailable) && isZero(maxSurge)),
};

function isZero(value: IntOrString | undefined): boolean {
  return value === 0 || value === '0%';
}

export type CanaryStep = z.infer<typeof canaryStepSchema>;
export type Canary = z.infer<typeof canarySchema>;
export type InPlaceUpdateStrategy = z.infer<typeof inPlaceUpdateStrategySchema>;
