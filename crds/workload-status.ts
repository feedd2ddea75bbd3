/**
 * The status that both game workloads share. Names that existing dashboards read are kept; ours are added beside them.
 * Everything is optional, since an object may carry the status of an earlier operator, or none.
 */
import { z } from 'zod';
import type { PrinterColumn } from './custom-resource.ts';
import { hookPhaseSchema } from './hook-phase.ts';
import type { Condition } from './kubernetes.ts';
import { count, listByKey, timestamp } from './primitives.ts';

const conditionSchema: z.ZodType<Condition> = z.object({
  type: z.string().min(1).max(316),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().max(1024).optional(),
  message: z.string().max(32_768).optional(),
  lastTransitionTime: timestamp.optional(),
  observedGeneration: z.int().min(0).optional(),
});

const PAUSE_REASONS = [
  'PausedByUser',
  'PausedByCanaryPauseStep',
  'PausedByStepBasedHook',
  'PausedByPrewarm',
  'PausedByLostRun',
] as const;

const pauseConditionSchema = z.object({
  reason: z.enum(PAUSE_REASONS),
  startTime: timestamp.optional(),
});

const podHookConditionSchema = z.object({
  podName: z.string().max(253),
  startTime: timestamp.optional(),
  phase: hookPhaseSchema.optional(),
});

const canaryStatusSchema = z.object({
  revision: z
    .string()
    .max(253)
    .optional()
    .meta({ description: 'The stable revision: the last that went through all steps.' }),
  pauseStartTime: timestamp.optional(),
  currentStepHookRun: z.string().max(253).optional(),
});

const strategyInForceSchema = z.object({
  type: z.string().max(64),
  partition: count.meta({
    description: 'How many pods are kept at the old revision now, by the spec or by the current step.',
  }),
  maxUnavailable: count,
  maxSurge: count,
});

const podHookConditions = z.array(podHookConditionSchema).max(10_000).optional();

/**
 * The status of an object that no controller has looked at: kstatus, and with it Helm and Flux, takes an object without
 * `observedGeneration` for one that is ready (ADR 0015).
 */
export const UNOBSERVED_STATUS = { observedGeneration: -1 } as const;

/** Columns that both kinds show with `kubectl get -o wide`. */
export const WIDE_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'AVAILABLE',
    type: 'integer',
    jsonPath: '.status.availableReplicas',
    description: 'Pods that are available.',
    priority: 1,
  },
  {
    name: 'STEP',
    type: 'integer',
    jsonPath: '.status.currentStepIndex',
    description: 'The canary step at which the rollout stands.',
    priority: 1,
  },
  {
    name: 'STATE',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: 'What keeps it from being ready, or that nothing does.',
    priority: 1,
  },
  {
    name: 'MESSAGE',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    description: 'The same as a sentence.',
    priority: 1,
  },
];

/** Fields of `status`, to be spread into each kind's schema. */
export const workloadStatusFields = {
  observedGeneration: z.int().min(-1).optional(),
  replicas: count.optional().meta({ description: 'Active pods.' }),
  readyReplicas: count.optional(),
  availableReplicas: count.optional(),
  updatedReplicas: count.optional(),
  updatedReadyReplicas: count.optional(),
  waitingReplicas: count.optional().meta({ description: 'Pods that wait for a gate.' }),
  updatingReplicas: count.optional().meta({ description: 'Pods in the middle of an in-place update.' }),
  unavailableReplicas: count.optional(),
  moving: z.boolean().optional().meta({ description: 'True while pods are being moved.' }),
  updateStrategy: strategyInForceSchema
    .optional()
    .meta({ description: 'What spec.updateStrategy comes to, absent fields and percentages resolved.' }),
  createdInFull: z
    .boolean()
    .optional()
    .meta({ description: 'True once all pods of the first creation were there; createBatch counts no more.' }),
  currentRevision: z.string().max(253).optional(),
  updateRevision: z.string().max(253).optional(),
  collisionCount: count.optional(),
  labelSelector: z.string().max(1_048_576).optional(),
  conditions: listByKey(conditionSchema, 'type').max(64).optional(),
  pauseConditions: z.array(pauseConditionSchema).max(16).optional(),
  currentStepIndex: count.optional(),
  currentStepHash: z.string().max(253).optional(),
  canary: canaryStatusSchema.optional(),
  consumedResume: z
    .array(z.string().max(512))
    .max(20)
    .optional()
    .meta({ description: 'Values of the resume annotation that were acted upon, the oldest first.' }),
  preDeleteHookCondition: podHookConditions,
  preInplaceHookCondition: podHookConditions,
  postInplaceHookCondition: podHookConditions,
};

export type PauseCondition = z.infer<typeof pauseConditionSchema>;
export type PauseReason = PauseCondition['reason'];
export type PodHookCondition = z.infer<typeof podHookConditionSchema>;
export type CanaryStatus = z.infer<typeof canaryStatusSchema>;
export type StrategyInForce = z.infer<typeof strategyInForceSchema>;
