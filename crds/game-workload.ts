/** The two kinds that one engine moves. Types only. */
import type { GameDeployment, GameDeploymentStatus } from './game-deployment.ts';
import type { GameStatefulSet, GameStatefulSetStatus } from './game-stateful-set.ts';

export type GameWorkload = GameDeployment | GameStatefulSet;
export type GameWorkloadStatus = GameDeploymentStatus | GameStatefulSetStatus;
