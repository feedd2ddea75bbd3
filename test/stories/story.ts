/** The words of stories: what is given, what people and the world do by hand, and what is waited for. */
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import type { Actor } from './actor.ts';

/** One line of a script: something that is done once, and what it answers in words; or something that is waited for. */
export type Act =
  | { text: string; by: 'user' | 'world' | 'person'; act: (actor: Actor) => unknown }
  | { text: string; until: (actor: Actor) => boolean }
  /** Whole seconds. */
  | { text: string; seconds: number };

interface Common {
  /** Name of its trace. */
  name: string;
  /** One sentence: what this story shows. */
  title: string;
  /** On the workload. */
  annotations?: Record<string, string>;
  /** How many pods there are at first; absent: as many as replicas, all ready at r1. */
  pods?: number;
  /** How the n-th run of a pod's hook ends, from 1; absent: well. */
  gate?: (run: number) => 'Successful' | 'Failed';
  /** How the hook of a canary step ends at each attempt, from 1; absent: well. */
  stepHook?: (attempt: number) => 'Successful' | 'Failed';
  /** In the runs in random order nobody does harm beside the script: another end would be right then. */
  isUndisturbed?: true;
  play: Act[];
}

export interface DeploymentStory extends Common {
  kind: 'GameDeployment';
  spec: Partial<GameDeploymentSpec>;
}

export interface SetStory extends Common {
  kind: 'GameStatefulSet';
  spec: Partial<GameStatefulSetSpec>;
}

export type Story = DeploymentStory | SetStory;

type WithoutKind<S> = Omit<S, 'kind'>;

export const deployment = (story: WithoutKind<DeploymentStory>): Story => ({ kind: 'GameDeployment', ...story });
export const set = (story: WithoutKind<SetStory>): Story => ({ kind: 'GameStatefulSet', ...story });

/** What many stories ask for: pods one at a time. */
export const RECREATE = { type: 'RollingUpdate', maxUnavailable: 1 } as const;
export const IN_PLACE = { type: 'InplaceUpdate', maxUnavailable: 1 } as const;
