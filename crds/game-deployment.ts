/** GameDeployment: pods without identity, updated under budgets, by canary steps (game-workloads §1.1, §1.3, §1.5). */
import { z } from 'zod';
import { GAME_DEPLOYMENT } from './api.ts';
import type { CustomResource, KindDefinition } from './custom-resource.ts';
import { podHookSchema } from './hook-step.ts';
import { podTemplateSchema } from './pod-template.ts';
import { count, intOrPercent, intOrShare } from './primitives.ts';
import { withRules } from './rule.ts';
import { selectorMatchesTemplate, selectorSchema } from './selector.ts';
import { canarySchema, inPlaceUpdateStrategySchema, scaleStrategySchema, someBudget } from './update-strategy.ts';
import { UNOBSERVED_STATUS, WIDE_COLUMNS, workloadStatusFields } from './workload-status.ts';

const updateStrategySchema = withRules(
  z.object({
    type: z.enum(['RollingUpdate', 'InplaceUpdate', 'HotPatchUpdate', 'OnDelete']).optional().meta({
      description:
        'How pods become the new revision: deleted and created anew (RollingUpdate, also where absent), given new images by a restart of their containers (InplaceUpdate) or without one where the kubelet can do it (HotPatchUpdate), or created anew when somebody else deletes them (OnDelete).',
    }),
    partition: intOrShare
      .optional()
      .meta({ description: 'How many pods stay at the old revision; ignored where canary steps are given.' }),
    maxUnavailable: intOrShare.optional().meta({ description: 'Absent means 25 %.' }),
    maxSurge: intOrPercent.optional().meta({ description: 'Absent means 0.' }),
    paused: z.boolean().optional().meta({ description: 'Stops updates; scaling and healing go on.' }),
    inPlaceUpdateStrategy: inPlaceUpdateStrategySchema.optional(),
    canary: canarySchema.optional(),
  }),
  [someBudget],
);

const gameDeploymentScaleStrategySchema = scaleStrategySchema.extend({
  podsToDelete: z.array(z.string().max(253)).max(10_000).optional().meta({
    description:
      'Pods that are deleted, whatever replicas says, and replaced where replicas asks for it; names that match no pod are ignored. The list is never changed for you.',
  }),
});

const gameDeploymentSpecSchema = withRules(
  z.object({
    replicas: count.default(1),
    selector: selectorSchema,
    template: podTemplateSchema,
    scaleStrategy: gameDeploymentScaleStrategySchema.optional(),
    updateStrategy: updateStrategySchema.optional(),
    preDeleteUpdateStrategy: podHookSchema.optional(),
    preInplaceUpdateStrategy: podHookSchema.optional(),
    postInplaceUpdateStrategy: podHookSchema.optional(),
    revisionHistoryLimit: count
      .optional()
      .meta({ description: 'How many revisions no pod uses are kept; absent means 10.' }),
    minReadySeconds: count.optional(),
    progressDeadlineSeconds: count.min(1).optional().meta({
      description: 'Seconds without progress after which Progressing turns False; pauses and gates do not count.',
    }),
    disableReadinessGate: z.boolean().optional().meta({ description: 'True: pods get no readiness gate of ours.' }),
  }),
  selectorMatchesTemplate,
);

export const gameDeploymentStatusSchema = z.object(workloadStatusFields);

export type GameDeploymentSpec = z.infer<typeof gameDeploymentSpecSchema>;
export type GameDeploymentUpdateStrategy = z.infer<typeof updateStrategySchema>;
export type GameDeploymentScaleStrategy = z.infer<typeof gameDeploymentScaleStrategySchema>;
export type GameDeploymentStatus = z.infer<typeof gameDeploymentStatusSchema>;
export type GameDeployment = CustomResource<typeof GAME_DEPLOYMENT.kind, GameDeploymentSpec, GameDeploymentStatus>;

export const gameDeploymentDefinition: KindDefinition = {
  ...GAME_DEPLOYMENT,
  description: 'Pods without identity that are updated under budgets, in canary steps, in place where possible.',
  spec: gameDeploymentSpecSchema,
  status: gameDeploymentStatusSchema.default(UNOBSERVED_STATUS),
  hasScale: true,
  columns: [
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Pods asked for.' },
    {
      name: 'UPDATED',
      type: 'integer',
      jsonPath: '.status.updatedReplicas',
      description: 'Pods at the update revision.',
    },
    {
      name: 'UPDATED_READY',
      type: 'integer',
      jsonPath: '.status.updatedReadyReplicas',
      description: 'Pods at the update revision that are ready.',
    },
    { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Pods that are ready.' },
    { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas', description: 'Active pods.' },
    ...WIDE_COLUMNS,
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};
