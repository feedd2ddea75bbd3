/** Both kinds as other tools meet them: the same manifest but for what each must have, and how one speaks of it. */
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import { type Changes, gameDeployment } from '../game-deployment/manifests.ts';
import type { GameScene } from '../game-deployment/scene.ts';
import { gameStatefulSet } from '../game-stateful-set/manifests.ts';
import type { MetricsServer } from './metrics-server.ts';

/** In place, without grace. */
type Steps = NonNullable<NonNullable<GameDeploymentSpec['updateStrategy']>['canary']>['steps'];
type Shared = Pick<Changes, 'image' | 'replicas' | 'container' | 'podAnnotations'> & { steps?: Steps };

/** One kind and its words. */
export interface Kind {
  kind: GameWorkload['kind'];
  /** As kubectl spells it. */
  lower: string;
  manifest: (name: string, changes?: Shared) => object;
  /** A namespace where names mean this kind. */
  open: (scene: GameScene, theme: string) => Promise<GameNamespace<GameWorkload>>;
}

const strategyOf = (steps: Steps) => ({ type: 'InplaceUpdate' as const, canary: { steps } });

export const KINDS: readonly Kind[] = [
  {
    kind: 'GameDeployment',
    lower: 'gamedeployment',
    manifest: (name, { steps = [], ...rest } = {}) =>
      gameDeployment(name, { ...rest, updateStrategy: { ...strategyOf(steps), maxUnavailable: 1 } }),
    open: async (scene, theme) => (await scene.namespace(`gd-${theme}`)) as unknown as GameNamespace<GameWorkload>,
  },
  {
    kind: 'GameStatefulSet',
    lower: 'gamestatefulset',
    manifest: (name, { steps = [], ...rest } = {}) =>
      gameStatefulSet(name, { ...rest, podManagementPolicy: 'Parallel', updateStrategy: strategyOf(steps) }),
    open: async (scene, theme) =>
      (await scene.namespace(`gsts-${theme}`)).sets as unknown as GameNamespace<GameWorkload>,
  },
];

/** What all stories here share. */
export interface Here {
  scene: GameScene;
  metrics: MetricsServer;
}

/** One story, told of each kind. */
export type Tell = (here: Here, kind: Kind) => Promise<void>;
