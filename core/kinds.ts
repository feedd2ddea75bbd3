/** Which of the two kinds a workload is. */
import { GAME_STATEFUL_SET } from '../crds/api.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';

export const isGameStatefulSet = (workload: GameWorkload): workload is GameStatefulSet =>
  workload.kind === GAME_STATEFUL_SET.kind;
