/**
 * Plays a story with everything in random order (core/model/walk.ts): stores that lag, writes that land late or twice,
 * workers that die, kubelets in no order, and some harm. Whatever happens on the way, the end is the same.
 */
import { Judge } from '../../core/model/judge.ts';
import { Random } from '../../core/model/random.ts';
import { SetJudge } from '../../core/model/set-judge.ts';
import { Walk } from '../../core/model/walk.ts';
import { Actor } from './actor.ts';
import { endingOf } from './ending.ts';
import { passedOver } from './gates-kept.ts';
import { calm } from './script.ts';
import type { Act, Story } from './story.ts';

/** After so many steps a wait goes on without trouble. */
const STORMY_STEPS = 15;
const QUIET_STEPS = 900;
const SETTLING_STEPS = 6;

export class StormPlay {
  readonly #walk: Walk;
  readonly #actor: Actor;
  readonly #kubelets: Random;

  constructor(story: Story, seed: number) {
    let actor: Actor | undefined;
    this.#walk = new Walk(seed, {
      judge: (api, issued) => (story.kind === 'GameStatefulSet' ? new SetJudge(api, issued) : new Judge(api)),
      demand: (world) => {
        actor = new Actor(world, story);
        return actor;
      },
    });
    this.#actor = actor!;
    this.#kubelets = new Random(seed);
  }

  /** What was promised and not kept, a wait without an end, and where the ending is another one than `wanted`. */
  run(wanted: readonly string[]): string[] {
    for (const act of this.#actor.story.play) {
      const stuck = this.#perform(act);
      if (stuck !== undefined) return [...this.#walk.judge.violations, stuck];
    }
    // What was held may still land.
    for (let step = 0; step < SETTLING_STEPS; step += 1) this.#quietStep(step);
    const stuck = this.#perform(calm);
    if (stuck !== undefined) return [...this.#walk.judge.violations, stuck];
    const faults = [...this.#walk.judge.violations, ...passedOver(this.#actor)];
    const ending = endingOf(this.#actor);
    const isWanted = ending.join() === wanted.join();
    return [...faults, ...(isWanted ? [] : [`it ends with ${ending.join('; ')}`])];
  }

  #quietStep(step: number): void {
    this.#walk.quietStep(this.#kubelets, step % 2 === 0);
    this.#actor.speak();
  }

  #perform(act: Act): string | undefined {
    if ('by' in act) {
      act.act(this.#actor);
      return undefined;
    }
    const endsAt = 'seconds' in act ? this.#actor.seconds + act.seconds : 0;
    const isOver = () => ('until' in act ? act.until(this.#actor) : this.#actor.seconds >= endsAt);
    for (let step = 0; step < STORMY_STEPS && !isOver(); step += 1) this.#walk.stormyStep();
    for (let step = 0; step < QUIET_STEPS && !isOver(); step += 1) this.#quietStep(step);
    return isOver() ? undefined : `never: ${act.text}: ${endingOf(this.#actor).join('; ')}`;
  }
}
