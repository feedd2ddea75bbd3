/** The two kinds that one engine moves. Types only. */
import type { GameDeployment } from './game-deployment.ts';
import type { GameStatefulSet } from './game-stateful-set.ts';

export type GameWorkload = GameDeployment | GameStatefulSet;
