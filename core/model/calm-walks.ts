/**
 * Whether a plan comes to an end: after some storm everything works, and whatever is asked for then, the plan has nothing more
 * to do after a while, and does nothing more. A plan that undoes what the one before did would go on for ever.
 */
import { isActive, isReady, revisionOf } from '../pods.ts';
import { EPOCH_MS } from './api.ts';
import type { Demand } from './demand.ts';
import { DEPLOYMENT, type Game } from './game.ts';
import { Random } from './random.ts';
import { Walk } from './walk.ts';
import { BROKEN_REVISION } from './world.ts';

const STORMY_STEPS = 14;
/** Seconds within which a walk comes to its end. */
const PATIENCE_S = 300;
/** Longer than any clock of the planner: what has not moved for so long never will. */
const STILL_S = 45;
const SHOWN = 3;

class CalmWalk {
  readonly #walk: Walk;
  readonly #demand: Demand;
  readonly #kubelets: Random;

  constructor(seed: number, game: Game) {
    let demand: Demand | undefined;
    this.#walk = new Walk(seed, {
      judge: game.judge,
      demand: (world) => {
        demand = game.demand(world);
        return demand;
      },
    });
    this.#demand = demand!;
    this.#kubelets = new Random(seed);
  }

  run(): string[] {
    for (let step = 0; step < STORMY_STEPS; step += 1) this.#walk.stormyStep();
    this.#demand.calm();
    this.#demand.speak();
    const isStill = this.#settle();
    const faults = isStill ? this.#leftOver() : [`still moving after ${PATIENCE_S} s: ${this.#describe()}`];
    return [...this.#walk.judge.violations, ...faults];
  }

  /** False: something is written again and again. */
  #settle(): boolean {
    const { api } = this.#walk;
    let stillSince = 0;
    let version = api.version;
    for (let second = 0; second < PATIENCE_S; second += 1) {
      this.#walk.quietStep(this.#kubelets, true);
      if (api.version !== version) stillSince = second;
      version = api.version;
      if (second - stillSince >= STILL_S) return true;
    }
    return false;
  }

  /** What was asked for, and could be done. */
  #leftOver(): string[] {
    const { moves, reached, blockers } = this.#truth();
    if (moves.length > 0) return [`plans what it does not do: ${this.#describe()}`];
    const isAchievable = this.#demand.isMoving && this.#demand.target !== BROKEN_REVISION;
    if (!isAchievable || blockers.some(({ reason }) => reason === 'FailedScale')) return [];
    const broken = this.#active().filter((pod) => !isReady(pod));
    const isDone = reached && broken.length === 0 && this.#demand.isInOrder(this.#active());
    return isDone ? [] : [`stops short of what it is asked for: ${this.#describe()}`];
  }

  #truth() {
    return this.#demand.plan({ pods: [...this.#walk.api.pods.values()], unresolved: [], issued: [] });
  }

  #active = () => [...this.#walk.api.pods.values()].filter(isActive);

  #describe(): string {
    const { moves, blockers, resolved, reached } = this.#truth();
    const pods = this.#active().map(
      (pod) => `${pod.metadata.name} ${revisionOf(pod)}${isReady(pod) ? '' : ' not ready'}`,
    );
    const asked = { ...this.#demand.asked, ...resolved, reached };
    const t = (this.#walk.api.nowMs - EPOCH_MS) / 1000;
    return JSON.stringify({ t, asked, pods, moves, blockers, issued: this.#walk.state.issued });
  }
}

/** Seed and sentences of the first walks that never come to their end, or not to that which was asked for. */
export function restlessWalks(from: number, to: number, game: Game = DEPLOYMENT): string[] {
  const found: string[] = [];
  for (let seed = from; seed < to && found.length < SHOWN; seed += 1) {
    const faults = new CalmWalk(seed, game).run();
    if (faults.length > 0) found.push(`seed ${seed}: ${faults.join('; ')}`);
  }
  return found;
}
