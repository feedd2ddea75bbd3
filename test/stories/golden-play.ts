/** Plays a story second by second, without any trouble beside the script, and writes its trace. */
import { ModelApi } from '../../core/model/api.ts';
import { openItem } from '../../core/model/items.ts';
import { Judge } from '../../core/model/judge.ts';
import { stepOf } from '../../core/model/kubelet.ts';
import { Random } from '../../core/model/random.ts';
import { SetJudge } from '../../core/model/set-judge.ts';
import { BY_NAME } from '../../core/model/world.ts';
import { openNewGate, patchAfterGate, type WriteScene, write } from '../../core/model/writes.ts';
import type { Move, Plan, Unresolved } from '../../core/plan/types.ts';
import { settleIssued, settleUnresolved } from '../../core/plan/unresolved.ts';
import { issueNames, takeEfforts, takeOutcomes } from '../../core/workload/bookkeeping.ts';
import { areCreatesEarly } from '../../core/workload/telling.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { Actor } from './actor.ts';
import { endingOf } from './ending.ts';
import { passedOver } from './gates-kept.ts';
import { InTurn } from './in-turn.ts';
import type { Act, Story } from './story.ts';
import { Trace } from './trace.ts';

/** A wait that takes longer is one without an end. */
const PATIENCE_S = 600;
const REFUSAL = 'pods are forbidden: exceeded quota';

export interface Played {
  trace: string;
  ending: string[];
  violations: string[];
  moments: Moment[];
}

/** One wait of the script at its end. */
export interface Moment {
  text: string;
  workload: GameWorkload;
  /** Every replica is there, serves and runs what the template asks for, and no rollout is open. */
  isDone: boolean;
}

export class GoldenPlay {
  readonly #api = new ModelApi();
  readonly #judge: Judge;
  readonly #actor: Actor;
  readonly #kubelets = new InTurn(1);
  readonly #trace: Trace;
  readonly #moments: Moment[] = [];

  constructor(story: Story) {
    const { kind } = story;
    this.#judge =
      kind === 'GameStatefulSet' ? new SetJudge(this.#api, () => this.#actor.desk.state.issued) : new Judge(this.#api);
    this.#actor = new Actor({ api: this.#api, judge: this.#judge, random: new Random(1) }, story);
    this.#trace = new Trace(this.#actor);
  }

  run(): Played {
    this.#trace.title();
    for (const act of this.#actor.story.play) this.#perform(act);
    return {
      trace: this.#trace.end(),
      ending: endingOf(this.#actor),
      violations: [...this.#judge.violations, ...passedOver(this.#actor)],
      moments: this.#moments,
    };
  }

  #perform(act: Act): void {
    if ('by' in act) {
      const answer = act.act(this.#actor);
      this.#trace.say(act.by, typeof answer === 'string' ? `${act.text}: ${answer}` : act.text);
      return;
    }
    const began = this.#actor.seconds;
    const isOver = () => ('until' in act ? act.until(this.#actor) : this.#actor.seconds >= began + act.seconds);
    do {
      this.#second();
      if (this.#actor.seconds > began + PATIENCE_S) throw new Error(`never: ${act.text}\n${this.#trace.end()}`);
    } while (!isOver());
    this.#trace.rest(act.text);
    const { isDone } = this.#actor;
    this.#moments.push({ text: act.text, workload: this.#actor.reported(), isDone });
  }

  #second(): void {
    this.#api.nowMs += 1_000;
    for (const pod of [...this.#api.pods.values()]) {
      openNewGate(this.#api, pod.metadata.name);
      stepOf(this.#api, this.#api.pods.get(pod.metadata.name)!, this.#kubelets);
    }
    this.#actor.speak();
    const pods = [...this.#api.pods.values()];
    const plan = this.#look(pods);
    this.#actor.report(plan);
    const moves = areCreatesEarly(this.#actor.desk.state, plan.moves) ? [] : plan.moves;
    this.#trace.moment({ ...plan, moves });
    this.#carryOut(moves);
  }

  #look(pods: Pod[]): Plan {
    const { state } = this.#actor.desk;
    const isQuorum = true;
    const unresolved = settleUnresolved(state.unresolved, pods);
    const issued = settleIssued(state.issued, pods, { unresolved, isQuorum });
    const plan = this.#actor.plan({ pods, unresolved, issued });
    const { retired } = plan;
    state.unresolved = settleUnresolved(unresolved, pods, retired);
    state.issued = settleIssued(issued, pods, { unresolved: state.unresolved, isQuorum, retired });
    return plan;
  }

  #carryOut(moves: Move[]): void {
    const { state } = this.#actor.desk;
    issueNames(state, moves);
    const unresolved = moves.flatMap((move) => (this.#write(move) ? [] : [refused(move)]));
    takeOutcomes(state, moves, [{ unresolved, written: {}, gone: [], quorum: false }]);
    takeEfforts(state, [{ done: moves.length - unresolved.length, unresolved }], 0, this.#api.nowMs);
  }

  /** False: the API refuses it. */
  #write(move: Move): boolean {
    const scene: WriteScene = {
      ...{ api: this.#api, judge: this.#judge, revisions: BY_NAME, demand: this.#actor },
      sentMs: this.#api.nowMs,
    };
    const answer = write(scene, move, false);
    if (answer === 'ok' && move.act === 'close-gate' && move.thenPatch) patchAfterGate(scene, move);
    return answer !== 'refused';
  }
}

const refused = (move: Move): Unresolved => ({ ...openItem(move), outcome: 'refused', message: REFUSAL });
