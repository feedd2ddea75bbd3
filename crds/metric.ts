/** One check of a hook: whom it asks (provider), how often, and what counts as success (game-workloads §3.1). */
import { z } from 'zod';
import { count, duration, listByKey } from './primitives.ts';
import { metricProviderSchema } from './provider.ts';
import { type Rule, withRules } from './rule.ts';

const metricShape = z.object({
  name: z.string().min(1).max(253),
  interval: duration
    .optional()
    .meta({ description: 'Between measurements, such as 30s; needed where count is above 1.' }),
  initialDelay: duration.optional(),
  count: count
    .optional()
    .meta({ description: 'Measurements; 0 or absent means 1, or without end where an interval is given.' }),
  successfulLimit: count.optional(),
  consecutiveSuccessfulLimit: count.min(1).optional(),
  failureLimit: count.optional(),
  inconclusiveLimit: count.optional(),
  consecutiveErrorLimit: count.optional(),
  successCondition: z.string().max(4096).optional(),
  failureCondition: z.string().max(4096).optional(),
  provider: metricProviderSchema,
});

type MetricShape = z.output<typeof metricShape>;
type Limit = 'successfulLimit' | 'failureLimit' | 'inconclusiveLimit';

const metricSchema = withRules(metricShape, [
  {
    cel: '!has(self.count) || self.count <= 1 || has(self.interval)',
    message: 'A metric with a count above 1 needs an interval.',
    reason: 'FieldValueRequired',
    fieldPath: '.interval',
    isGood: (metric) => (metric.count ?? 0) <= 1 || metric.interval !== undefined,
  },
  limitWithinCount('failureLimit'),
  limitWithinCount('successfulLimit'),
  limitWithinCount('inconclusiveLimit'),
]);

function limitWithinCount(limit: Limit): Rule<MetricShape> {
  return {
    cel: `!has(self.count) || self.count == 0 || !has(self.${limit}) || self.${limit} <= self.count`,
    message: `${limit} cannot exceed count, because it could never be reached.`,
    reason: 'FieldValueInvalid',
    fieldPath: `.${limit}`,
    isGood: (metric) => (metric.count ?? 0) === 0 || (metric[limit] ?? 0) <= (metric.count ?? 0),
  };
}

/** At least one; names are unique because they are the list's keys. */
export const metricListSchema = listByKey(metricSchema, 'name').min(1).max(64);

export type Metric = z.infer<typeof metricSchema>;
