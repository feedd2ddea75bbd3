/**
 * What the two workflows of a workload tell each other, without Temporal: the workload's own rules on one side, the step
 * machine on the other. Messages stay on their way until they are delivered.
 */

import type { Plan } from '../../core/plan/types.ts';
import { hashSteps, stepsOf, toSteps } from '../../core/rollout/steps-hash.ts';
import type { HumanMessage, HumanVerb } from '../../core/rollout/types.ts';
import { calmDown, takeAllowance, takeEfforts } from '../../core/workload/bookkeeping.ts';
import { type GateVerb, takeGateWord } from '../../core/workload/gate-words.ts';
import { chooseRollout, isSettledAtOnce, type RolloutChoice } from '../../core/workload/rollout-choice.ts';
import { newWorkloadState, type WorkloadState } from '../../core/workload/state.ts';
import { askedOf, takeNews, takeSpecNews } from '../../core/workload/telling.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { RolloutStory } from '../support/rollout-story.ts';

const UID = 'lobby';

/** What one look saw beside the plan. */
export interface Look {
  spec: GameWorkload['spec'];
  updateRevision: string;
  isFirstCreation: boolean;
  nowMs: number;
}

export class RolloutDesk {
  readonly state: WorkloadState;
  rollout: RolloutStory | undefined;
  #delivered = 0;
  #forwarded = 0;

  constructor(stableRevision: string) {
    this.state = { ...newWorkloadState(), uid: UID, stableRevision, updateRevision: stableRevision };
  }

  /** All that the rollout has said has arrived. */
  get isHeard(): boolean {
    const { sent, forwarded } = this.rollout ?? { sent: [], forwarded: [] };
    return this.#delivered === sent.length && this.#forwarded === forwarded.length;
  }

  /** What the workload does with one observation (workflows/workload). */
  hear(plan: Plan, look: Look): void {
    const { state } = this;
    const asked = askedOf(state);
    state.updateRevision = look.updateRevision;
    calmDown(state, plan);
    takeEfforts(state, [], plan.replacesFailed, look.nowMs);
    this.#follow(plan, look);
    this.#tellSpec(look);
    const news = takeNews(state, asked, { ...plan, partition: plan.resolved.partition, asOfMs: look.nowMs });
    if (news.reached !== undefined) this.#at(look.nowMs)?.reach(news.reached.partition, asked.sequence, asked.number);
    if (news.blocked !== undefined) this.#at(look.nowMs)?.block(news.blocked.reason, news.blocked.message);
    state.pausedByUser = look.spec.updateStrategy?.paused === true;
  }

  #at(nowMs: number): RolloutStory | undefined {
    if (this.rollout !== undefined) this.rollout.nowMs = nowMs;
    return this.rollout;
  }

  #follow(plan: Plan, look: Look): void {
    const { state } = this;
    const { updateRevision, isFirstCreation: firstCreation } = look;
    const seen = { updateRevision, firstCreation, counts: plan.counts };
    if (isSettledAtOnce(state, seen)) state.stableRevision = updateRevision;
    else {
      const choice = chooseRollout(state, seen);
      if (choice !== null) this.#begin(choice, look);
    }
  }

  #begin(choice: RolloutChoice, { spec, nowMs }: Look): void {
    const { state } = this;
    const number = (state.rollout?.number ?? 0) + 1;
    this.#at(nowMs)?.supersede(choice.rolledBack, number);
    state.rollout = { number, ...choice, isOpen: true, sequence: 0, allowance: null, view: null };
    state.told = { ...state.told, reached: '', blocked: '', spec: '' };
    const { stepsHash, pausedByUser, progressDeadlineSeconds } = specOf(spec);
    const start = { number, ...choice, stepsHash, pausedByUser, progressDeadlineSeconds };
    this.rollout = new RolloutStory(toSteps(spec), start, nowMs);
    this.#delivered = 0;
    this.#forwarded = 0;
  }

  #tellSpec({ spec, nowMs }: Look): void {
    const message = takeSpecNews(this.state, specOf(spec));
    if (message !== undefined) this.#at(nowMs)?.revise(message);
  }

  /** Time has passed, and what the rollout has said arrives. */
  deliver(nowMs: number): void {
    const rollout = this.#at(nowMs)?.pass(0);
    if (rollout === undefined) return;
    const { number } = rollout.state;
    for (const message of rollout.sent.slice(this.#delivered))
      takeAllowance(this.state, { uid: UID, number, ...message }, nowMs);
    for (const { verb, message } of rollout.forwarded.slice(this.#forwarded)) this.decideGates(verb, nowMs, message);
    this.#delivered = rollout.sent.length;
    this.#forwarded = rollout.forwarded.length;
  }

  /** A person's word on hooks of pods (workflows/workload/inbox). */
  decideGates(verb: GateVerb, nowMs: number, message: HumanMessage = {}): string {
    return takeGateWord(this.state, verb, message, nowMs);
  }

  say(verb: HumanVerb, nowMs: number, about: HumanMessage = {}): string {
    return this.#at(nowMs)?.say(verb, { by: 'ann', ...about }) ?? 'refused: there is no rollout';
  }
}

function specOf(spec: GameWorkload['spec']) {
  const { progressDeadlineSeconds, updateStrategy } = spec;
  const pausedByUser = updateStrategy?.paused === true;
  return { steps: toSteps(spec), stepsHash: hashSteps(stepsOf(spec)), pausedByUser, progressDeadlineSeconds };
}
