/** One check of a hook: what is asked (provider), how often, and what counts as success (game-workloads §3.1, §3.5). */
import { z } from 'zod';
import { count, duration, listByKey } from './primitives.ts';
import { type Rule, withRules } from './rule.ts';

const text = z.string().max(65_536);

const webProviderSchema = z.object({
  url: text.min(1).meta({ description: 'May hold {{ args.NAME }}.' }),
  headers: z
    .array(z.object({ key: z.string().min(1).max(256), value: text }))
    .max(64)
    .optional(),
  timeoutSeconds: count.optional().meta({ description: 'Absent or 0 means 10.' }),
  jsonPath: z.string().max(4096).optional().meta({ description: "kubectl's syntax, such as {$.age}." }),
});

const prometheusProviderSchema = z.object({
  address: text.optional(),
  query: text.optional().meta({ description: 'May hold {{ args.NAME }}.' }),
});

const kubernetesProviderSchema = z.object({
  function: z.enum(['get', 'patch']),
  fields: z.array(z.object({ path: text, value: text })).max(64),
});

const execProviderSchema = z.object({
  container: z.string().max(63).optional(),
  command: z.array(text).max(256).optional(),
});

const providerShape = z.object({
  web: webProviderSchema.optional(),
  prometheus: prometheusProviderSchema.optional(),
  kubernetes: kubernetesProviderSchema.optional(),
  exec: execProviderSchema.optional(),
});

const metricProviderSchema = withRules(providerShape, [
  {
    cel: '[has(self.web), has(self.prometheus), has(self.kubernetes), has(self.exec)].exists_one(given, given)',
    message: 'A provider needs exactly one of web, prometheus, kubernetes and exec.',
    reason: 'FieldValueInvalid',
    isGood: (provider) => Object.values(provider).filter((given) => given !== undefined).length === 1,
  },
]);

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

export type WebProvider = z.infer<typeof webProviderSchema>;
export type PrometheusProvider = z.infer<typeof prometheusProviderSchema>;
export type KubernetesProvider = z.infer<typeof kubernetesProviderSchema>;
export type ExecProvider = z.infer<typeof execProviderSchema>;
export type MetricProvider = z.infer<typeof metricProviderSchema>;
export type Metric = z.infer<typeof metricSchema>;
