/** HookRun: one run of a HookTemplate's checks, with its measurements and verdict (game-workloads §1.4). */
import { z } from 'zod';
import { HOOK_RUN } from './api.ts';
import type { CustomResource, KindDefinition } from './custom-resource.ts';
import { hookPhaseSchema } from './hook-phase.ts';
import { hookArgumentSchema, hookLimitFields } from './hook-template.ts';
import { metricListSchema } from './metric.ts';
import { count, timestamp } from './primitives.ts';

const message = z.string().max(32_768).optional();

/**
 * `policy` is free text, as it was to the existing operators, although HookTemplate's is not: the controller makes runs of templates that
 * an older CRD let in, and one that is refused could not say what is wrong. A word that nobody knows ends the run as Error.
 */
const hookRunSpecSchema = z.object({
  args: z.array(hookArgumentSchema).max(128).optional(),
  metrics: metricListSchema,
  policy: z.string().max(64).optional().meta({ description: 'Parallel or Ordered; absent means Parallel.' }),
  terminate: z.boolean().optional().meta({ description: 'True ends the run; metrics that never started are skipped.' }),
  ...hookLimitFields,
});

const measurementSchema = z.object({
  phase: hookPhaseSchema,
  message,
  startedAt: timestamp.optional(),
  finishedAt: timestamp.optional(),
  resumeAt: timestamp.optional(),
  value: z.string().max(65_536).optional(),
});

const metricResultSchema = z.object({
  name: z.string().max(253),
  phase: hookPhaseSchema,
  measurements: z.array(measurementSchema).max(64).optional().meta({ description: 'The last ones, the oldest first.' }),
  message,
  count: count.optional(),
  successful: count.optional(),
  failed: count.optional(),
  inconclusive: count.optional(),
  error: count.optional(),
  consecutiveError: count.optional(),
  consecutiveSuccessful: count.optional(),
});

const hookRunStatusSchema = z.object({
  phase: hookPhaseSchema.optional(),
  message,
  startedAt: timestamp.optional(),
  finishedAt: timestamp.optional(),
  metric: z
    .string()
    .max(253)
    .optional()
    .meta({ description: 'The metric that tells most: what broke, or is waited for.' }),
  value: z.string().max(1024).optional().meta({ description: 'What was last measured of it, cut short.' }),
  nextMeasurementAt: timestamp
    .optional()
    .meta({ description: 'When something is measured next; absent once it ended.' }),
  metricResults: z.array(metricResultSchema).max(64).optional(),
});

export type HookRunSpec = z.infer<typeof hookRunSpecSchema>;
export type Measurement = z.infer<typeof measurementSchema>;
export type MetricResult = z.infer<typeof metricResultSchema>;
export type HookRunStatus = z.infer<typeof hookRunStatusSchema>;
export type HookRun = CustomResource<typeof HOOK_RUN.kind, HookRunSpec, HookRunStatus>;

export const hookRunDefinition: KindDefinition = {
  ...HOOK_RUN,
  description: 'One run of the checks of a HookTemplate, with its measurements and verdict.',
  spec: hookRunSpecSchema,
  status: hookRunStatusSchema,
  hasScale: false,
  columns: [
    { name: 'PHASE', type: 'string', jsonPath: '.status.phase', description: 'Where the run stands.' },
    { name: 'METRIC', type: 'string', jsonPath: '.status.metric', description: 'What broke, or is waited for.' },
    { name: 'VALUE', type: 'string', jsonPath: '.status.value', description: 'What was last measured of it.' },
    {
      name: 'NEXT',
      type: 'string',
      jsonPath: '.status.nextMeasurementAt',
      description: 'When something is measured next.',
    },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};
