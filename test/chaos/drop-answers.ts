/** A network that carries requests and loses answers. */
import type { WriteRecord } from '../faults/write-faults.ts';
import { isOf, type Operator } from './chaos-scene.ts';
import type { Game } from './game.ts';

/** More than any canary here commits. */
const ALL_WRITES = 150;

/** Of each of the game's commits from now on, `isDropped` says whether its answer is lost. */
export function dropAnswers({ proxy }: Operator, game: Game, isDropped: () => boolean): void {
  const pending = Array.from({ length: ALL_WRITES }, () => isDropped());
  let commits = 0;
  const isNext = (write: WriteRecord) => isOf(write, game) && pending[commits++] === true;
  // A fault fires once, so the next is armed when one has fired.
  const arm = () => proxy.afterCommit(isNext, arm);
  arm();
}
