/** What a game is made of: a workload of either kind in one vocabulary, and the hook that its steps and gates ask. */
import { API_VERSION } from '../../crds/api.ts';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';

export type Strategy = NonNullable<GameDeploymentSpec['updateStrategy']>;

export interface GameVariant {
  /** GameDeployment where absent. */
  kind?: GameWorkload['kind'];
  /** Of a GameStatefulSet. */
  podManagementPolicy?: GameStatefulSetSpec['podManagementPolicy'];
  replicas?: number;
  /** Changes to the strategy of `../shared/inputs/gamedeployment.yaml`, shortened; of both kinds in the words of that one. */
  strategy?: Partial<Strategy>;
  /** Every pod asks a hook before it is deleted or changed. */
  gated?: boolean;
  /** What the hook asks, in place of the one below. */
  metric?: object;
  /** What two more hooks ask, before a pod is updated in place and after that. */
  around?: { before: object; after: object };
  podAnnotations?: Record<string, string>;
  /** Of the workload itself. */
  annotations?: Record<string, string>;
}

export const NAME = 'lobby';
export const REPLICAS = 5;
export const FIRST_PARTITION = 3;

/** partition 3, a person, partition 1, two seconds, a hook, done. */
const STRATEGY: Strategy = {
  type: 'InplaceUpdate',
  maxUnavailable: 2,
  inPlaceUpdateStrategy: { gracePeriodSeconds: 1 },
  canary: {
    steps: [
      { partition: FIRST_PARTITION },
      { pause: {} },
      { partition: 1 },
      { pause: { duration: 2 } },
      { hook: { templateName: 'test' } },
    ],
  },
};

export function gameManifest(namespace: string, variant: GameVariant): object {
  const { kind = 'GameDeployment', replicas = REPLICAS, gated, around, podAnnotations = {}, annotations } = variant;
  const labels = { app: NAME };
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: NAME, namespace, annotations },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: podAnnotations },
        spec: { nodeName: 'node-1', containers: [{ name: 'game', image: 'game:1' }] },
      },
      ...(kind === 'GameStatefulSet' ? partOfSet(variant) : { updateStrategy: strategyOf(variant) }),
      ...(gated ? { preDeleteUpdateStrategy: hookOf('test') } : {}),
      ...(around ? { preInplaceUpdateStrategy: hookOf('before'), postInplaceUpdateStrategy: hookOf('after') } : {}),
    },
  };
}

const hookOf = (templateName: string) => ({ hook: { templateName } });

const strategyOf = ({ strategy }: GameVariant): Strategy => ({ ...STRATEGY, ...strategy });

/** The numbers have a place of their own there. */
function partOfSet(variant: GameVariant): Partial<GameStatefulSetSpec> {
  const { maxUnavailable, maxSurge, partition, ...updateStrategy } = strategyOf(variant);
  return {
    serviceName: NAME,
    podManagementPolicy: variant.podManagementPolicy,
    updateStrategy: { ...updateStrategy, rollingUpdate: { maxUnavailable, maxSurge, partition } },
  };
}

/** `test` asks once, and is content with less than 30; those around updates are there where somebody asks for them. */
export function hookTemplates(namespace: string, origin: string, { metric, around }: GameVariant): object[] {
  const asked = { ...(around ?? {}), test: metric ?? {} };
  return Object.entries(asked).map(([name, changes]) => hookTemplate(namespace, name, { origin, changes }));
}

const hookTemplate = (namespace: string, name: string, { origin, changes }: { origin: string; changes: object }) => ({
  apiVersion: API_VERSION,
  kind: 'HookTemplate',
  metadata: { name, namespace },
  spec: {
    metrics: [
      {
        ...{ name: 'webtest', count: 1, successCondition: 'asInt(result) < 30' },
        provider: { web: { url: `${origin}/age`, jsonPath: '{$.age}' } },
        ...changes,
      },
    ],
  },
});
