/** Assembles the CustomResourceDefinition of a kind. The API server's own fields (apiVersion, kind, metadata) are added here. */
import { API_GROUP, API_VERSION_NAME } from './api.ts';
import type { KindDefinition } from './custom-resource.ts';
import { gameDeploymentDefinition } from './game-deployment.ts';
import { gameStatefulSetDefinition } from './game-stateful-set.ts';
import { hookRunDefinition } from './hook-run.ts';
import { hookTemplateDefinition } from './hook-template.ts';
import { type StructuralSchema, toStructural } from './structural.ts';

/** Every kind that Holdfast defines. */
export const KIND_DEFINITIONS: readonly KindDefinition[] = [
  gameDeploymentDefinition,
  gameStatefulSetDefinition,
  hookTemplateDefinition,
  hookRunDefinition,
];

/** A CustomResourceDefinition as plain JSON, as far as others look into it. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: { versions: { name: string; schema: { openAPIV3Schema: StructuralSchema } }[]; [field: string]: unknown };
}

export function toCustomResourceDefinition(definition: KindDefinition): CustomResourceDefinition {
  const { kind, plural, singular } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      names: { kind, listKind: `${kind}List`, plural, singular },
      scope: 'Namespaced',
      versions: [toVersion(definition)],
    },
  };
}

function toVersion(definition: KindDefinition) {
  return {
    name: API_VERSION_NAME,
    served: true,
    storage: true,
    ...(definition.columns.length > 0 ? { additionalPrinterColumns: definition.columns } : {}),
    subresources: { status: {}, ...(definition.hasScale ? { scale: SCALE } : {}) },
    schema: { openAPIV3Schema: toRootSchema(definition) },
  };
}

const SCALE = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
};

function toRootSchema({ spec, status, description }: KindDefinition): StructuralSchema {
  return {
    description,
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: toStructural(spec),
      ...(status === undefined ? {} : { status: toStructural(status) }),
    },
  };
}
