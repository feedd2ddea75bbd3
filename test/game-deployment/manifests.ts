/** Manifests as people write them, changed where a story cares. */
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';

const API_VERSION = 'tkex.tencent.com/v1alpha1';

type Spec = Omit<Partial<GameDeploymentSpec>, 'template'>;

export interface Changes extends Spec {
  image?: string;
  /** Of the workload itself. */
  annotations?: Record<string, string>;
  podAnnotations?: Record<string, string>;
  container?: Record<string, unknown>;
}

/** Five pods of `game:1`, updated by recreation, two at once. */
export function gameDeployment(name: string, changes: Changes = {}): Record<string, unknown> {
  const { image = 'game:1', annotations, podAnnotations, container, ...spec } = changes;
  const labels = { app: name };
  const metadata = podAnnotations === undefined ? { labels } : { labels, annotations: podAnnotations };
  return {
    apiVersion: API_VERSION,
    kind: 'GameDeployment',
    metadata: { name, labels, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      replicas: 5,
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: 2 },
      ...spec,
      template: { metadata, spec: { containers: [{ name: 'game', image, ...container }] } },
    },
  };
}

/** The manifest with these containers instead of its one. */
export function withContainers(manifest: Record<string, unknown>, containers: object[]): Record<string, unknown> {
  const { template, ...spec } = manifest.spec as { template: { spec: object } };
  return { ...manifest, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

/** Updated in place by these steps, without grace. */
export const canary = (
  steps: NonNullable<NonNullable<GameDeploymentSpec['updateStrategy']>['canary']>['steps'],
): Pick<Changes, 'updateStrategy'> => ({
  updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 2, canary: { steps } },
});

/** Asks `url` and wants an age below 30; every second, and the first success counts. */
export function hookTemplate(name: string, url: string, changes: Record<string, unknown> = {}) {
  const { args = [{ name: 'PodName' }], ...metric } = changes;
  return {
    apiVersion: API_VERSION,
    kind: 'HookTemplate',
    metadata: { name },
    spec: {
      args,
      metrics: [
        {
          name: 'webtest',
          successCondition: 'asInt(result) < 30',
          provider: { web: { url, jsonPath: '{$.age}' } },
          ...metric,
        },
      ],
    },
  };
}
