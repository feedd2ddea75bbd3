/** GameStatefulSet: pods with ordinals and claims of their own (game-workloads §1.2, §1.3, §1.5). */
import { z } from 'zod';
import { GAME_STATEFUL_SET } from './api.ts';
import { claimTemplatesSchema, claimTemplatesStay } from './claim-template.ts';
import type { CustomResource, KindDefinition } from './custom-resource.ts';
import { podHookSchema } from './hook-step.ts';
import { podTemplateSchema } from './pod-template.ts';
import { count, intOrPercent, intOrShare, isDnsLabel, isDnsLabelInCel } from './primitives.ts';
import { withRules } from './rule.ts';
import { selectorMatchesTemplate, selectorSchema } from './selector.ts';
import { canarySchema, inPlaceUpdateStrategySchema, scaleStrategySchema, someBudget } from './update-strategy.ts';
import { UNOBSERVED_STATUS, WIDE_COLUMNS, workloadStatusFields } from './workload-status.ts';

const rollingUpdateSchema = withRules(
  z.object({
    partition: intOrShare.optional().meta({
      description:
        'How many pods stay old, from the lowest ordinal up: where none is reserved, the lowest that may be updated.',
    }),
    maxUnavailable: intOrShare.optional().meta({ description: 'Absent means 25 %.' }),
    maxSurge: intOrPercent.optional().meta({ description: 'Absent means 0; only with Parallel and not OnDelete.' }),
  }),
  [someBudget],
);

const updateStrategySchema = z.object({
  type: z.enum(['RollingUpdate', 'OnDelete', 'InplaceUpdate', 'HotPatchUpdate']).optional(),
  rollingUpdate: rollingUpdateSchema.optional(),
  paused: z.boolean().optional().meta({ description: 'Stops updates; scaling and healing go on.' }),
  inPlaceUpdateStrategy: inPlaceUpdateStrategySchema.optional(),
  canary: canarySchema.optional(),
});

const serviceName = withRules(z.string().max(63), [
  {
    cel: `self == '' || ${isDnsLabelInCel('self')}`,
    message:
      'The name of a Service has only lower case letters, digits and -, and begins and ends with a letter or a digit.',
    reason: 'FieldValueInvalid',
    isGood: (name) => name === '' || isDnsLabel(name),
  },
  {
    // A name that no pod could have may be put right.
    cel: `self == oldSelf || !${isDnsLabelInCel('oldSelf')}`,
    message: 'The service name cannot be changed, because pods that are there keep the name in DNS that they have.',
    reason: 'FieldValueInvalid',
  },
]);

const gameStatefulSetSpecSchema = withRules(
  z.object({
    replicas: count.default(1),
    selector: selectorSchema,
    template: podTemplateSchema,
    volumeClaimTemplates: claimTemplatesSchema.optional(),
    serviceName,
    podManagementPolicy: z.enum(['OrderedReady', 'Parallel']).optional(),
    scaleStrategy: scaleStrategySchema.optional(),
    updateStrategy: updateStrategySchema.optional(),
    preDeleteUpdateStrategy: podHookSchema.optional(),
    preInplaceUpdateStrategy: podHookSchema.optional(),
    postInplaceUpdateStrategy: podHookSchema.optional(),
    revisionHistoryLimit: count
      .optional()
      .meta({ description: 'How many revisions no pod uses are kept; absent means 10.' }),
    progressDeadlineSeconds: count.min(1).optional().meta({
      description: 'Seconds without progress after which Progressing turns False; pauses and gates do not count.',
    }),
    disableReadinessGate: z.boolean().optional().meta({ description: 'True: pods get no readiness gate of ours.' }),
    reserveOrders: z
      .array(count)
      .max(10_000)
      .optional()
      .meta({ description: 'Ordinals that are never used; higher ones are used instead.' }),
  }),
  [...selectorMatchesTemplate, claimTemplatesStay],
);

const gameStatefulSetStatusSchema = z.object({
  ...workloadStatusFields,
  currentReplicas: count.optional(),
});

export type GameStatefulSetSpec = z.infer<typeof gameStatefulSetSpecSchema>;
export type GameStatefulSetUpdateStrategy = z.infer<typeof updateStrategySchema>;
export type GameStatefulSetStatus = z.infer<typeof gameStatefulSetStatusSchema>;
export type GameStatefulSet = CustomResource<typeof GAME_STATEFUL_SET.kind, GameStatefulSetSpec, GameStatefulSetStatus>;

export const gameStatefulSetDefinition: KindDefinition = {
  ...GAME_STATEFUL_SET,
  description:
    'Pods with ordinals, names and claims of their own, updated under budgets, in canary steps, in place where possible.',
  spec: gameStatefulSetSpecSchema,
  status: gameStatefulSetStatusSchema.default(UNOBSERVED_STATUS),
  hasScale: true,
  columns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas', description: 'Active pods.' },
    { name: 'Ready_Replicas', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Pods that are ready.' },
    {
      name: 'Current_Replicas',
      type: 'integer',
      jsonPath: '.status.currentReplicas',
      description: 'Pods at the current revision.',
    },
    {
      name: 'Updated_Replicas',
      type: 'integer',
      jsonPath: '.status.updatedReplicas',
      description: 'Pods at the update revision.',
    },
    {
      name: 'Updated_Ready_Replicas',
      type: 'integer',
      jsonPath: '.status.updatedReadyReplicas',
      description: 'Pods at the update revision that are ready.',
    },
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Pods asked for.', priority: 1 },
    ...WIDE_COLUMNS,
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};
