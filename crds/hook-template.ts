/** HookTemplate: the checks that HookRuns are made from (game-workloads §1.4). It has no status. */
import { z } from 'zod';
import { HOOK_TEMPLATE } from './api.ts';
import type { CustomResource, KindDefinition } from './custom-resource.ts';
import { metricListSchema } from './metric.ts';
import { count } from './primitives.ts';

/** An argument without a value must be given by whoever uses the template. */
export const hookArgumentSchema = z.object({
  name: z.string().min(1).max(253),
  value: z.string().max(65_536).optional(),
});

/** Shared with HookRun, which takes them over from its template or hook step. */
export const hookLimitFields = {
  activeDeadlineSeconds: count.min(1).optional().meta({ description: 'Past it a run ends with Error.' }),
  ttlSecondsAfterFinished: count
    .optional()
    .meta({ description: 'When a finished run is deleted; absent means never.' }),
};

const hookTemplateSpecSchema = z.object({
  args: z.array(hookArgumentSchema).max(64).optional(),
  metrics: metricListSchema,
  policy: z.enum(['Parallel', 'Ordered']).optional().meta({ description: 'Absent means Parallel.' }),
  ...hookLimitFields,
});

export type HookArgument = z.infer<typeof hookArgumentSchema>;
export type HookTemplateSpec = z.infer<typeof hookTemplateSpecSchema>;
export type HookPolicy = NonNullable<HookTemplateSpec['policy']>;
export type HookTemplate = CustomResource<typeof HOOK_TEMPLATE.kind, HookTemplateSpec, never>;

export const hookTemplateDefinition: KindDefinition = {
  ...HOOK_TEMPLATE,
  description: 'Checks that must succeed before a rollout or a pod moves on.',
  spec: hookTemplateSpecSchema,
  hasScale: false,
  columns: [],
};
