/**
 * Pod templates. Only what Holdfast reads is typed; everything else is kept as written, so that pod fields of
 * newer clusters are never pruned (decision 3). Whether the whole is a valid pod is the API server's to say, by dry run.
 */
import { z } from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { labelMap } from './label.ts';
import { listByKey } from './primitives.ts';

const templateMetadata = z.looseObject({
  labels: labelMap.optional(),
  annotations: z.record(z.string(), z.string().max(262_144)).meta({ maxProperties: 4096 }).optional(),
});

const container = z.looseObject({
  name: z.string().min(1).max(63),
  image: z.string().min(1).max(4096),
});

const podSpec = z.looseObject({
  containers: listByKey(container, 'name').min(1).max(128),
});

/** Its TypeScript type is the one of `kubernetes.ts`, because pods are built from it. */
export const podTemplateSchema = z.looseObject({
  metadata: templateMetadata.optional(),
  spec: podSpec,
}) as unknown as z.ZodType<PodTemplateSpec, PodTemplateSpec>;
