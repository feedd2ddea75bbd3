/**
 * One kill for many kill points: each game is stopped right after its n-th write is committed and before that is answered,
 * and waits there with all its later writes until the others have come to their points; then the controller dies once.
 */
import type { WriteRecord } from '../faults/write-faults.ts';
import { isOf, type Operator } from './chaos-scene.ts';
import type { Game } from './game.ts';

/** The client gives up on a write after 12 s; by then it must be dead. */
const WAIT_FOR_OTHERS_MS = 8_000;
/** Later writes of a stopped game that may be under way at once. */
const LATER_WRITES = 12;

export interface KillPoint {
  game: Game;
  /** Counts the commits of this game from now on. */
  n: number;
}

export class KillBarrier {
  readonly #operator: Operator;
  readonly #hit: { point: KillPoint; write: WriteRecord }[] = [];
  readonly #armed: number;
  #dying: Promise<void> | undefined;
  #kills = 0;
  readonly #everybodyIsHere = Promise.withResolvers<void>();

  constructor(operator: Operator, points: readonly KillPoint[]) {
    this.#operator = operator;
    this.#armed = points.length;
    for (const point of points) this.#arm(point);
  }

  /** The kill points that were come to. */
  get hit(): readonly { point: KillPoint; write: WriteRecord }[] {
    return this.#hit;
  }

  get kills(): number {
    return this.#kills;
  }

  #arm(point: KillPoint): void {
    let commits = 0;
    const isNth = (write: WriteRecord) => isOf(write, point.game) && ++commits === point.n;
    this.#operator.proxy.afterCommit(isNth, (write) => this.#stop(point, write));
  }

  async #stop(point: KillPoint, write: WriteRecord): Promise<void> {
    this.#hit.push({ point, write });
    const isLater = (other: WriteRecord) => other !== write && isOf(other, point.game);
    const later = Array.from({ length: LATER_WRITES }, () => this.#operator.proxy.holdWrite(isLater));
    if (this.#hit.length === this.#armed) this.#everybodyIsHere.resolve();
    this.#dying ??= this.#kill();
    await this.#dying;
    // Of half of the games what was on the wire reaches the API server after the death, of half it is lost.
    const isLost = point.n % 2 === 1;
    for (const held of later) {
      if (isLost && held.write !== undefined) held.discard();
      else held.release();
    }
  }

  async #kill(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, WAIT_FOR_OTHERS_MS);
    await Promise.race([late.promise, this.#everybodyIsHere.promise]);
    clearTimeout(timer);
    this.#kills += 1;
    await this.#operator.controller.current.kill();
    this.#dying = undefined;
  }
}
