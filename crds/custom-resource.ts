/** What the generator needs to know of a kind, and the shape every object of ours has. */
import type { z } from 'zod';
import type { API_VERSION } from './api.ts';
import type { ObjectMeta } from './kubernetes.ts';

/** An object of ours as the API server returns it. */
export interface CustomResource<Kind extends string, Spec, Status> {
  apiVersion: typeof API_VERSION;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
}

export interface PrinterColumn {
  name: string;
  type: 'integer' | 'string' | 'date' | 'boolean';
  jsonPath: string;
  description?: string;
  /** 0 is always shown, higher numbers only with `-o wide`. */
  priority?: number;
}

/** One kind: everything its CustomResourceDefinition is generated from. */
export interface KindDefinition {
  kind: string;
  plural: string;
  singular: string;
  /** One sentence for `kubectl explain`. */
  description: string;
  spec: z.ZodType;
  /** Absent: the kind has no status and no status subresource. */
  status?: z.ZodType;
  /** True: `spec.replicas`, `status.replicas` and `status.labelSelector` serve `kubectl scale` and autoscalers. */
  hasScale: boolean;
  columns: readonly PrinterColumn[];
}
