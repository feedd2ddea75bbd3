/** A rollout without Temporal: carries out what the step machine wants, and lets a test play people, pods and hooks. */
import type { Allowance } from '../../core/plan/types.ts';
import { begin } from '../../core/rollout/begin.ts';
import { applyHuman } from '../../core/rollout/human.ts';
import {
  applyBlocked,
  applyCallEnded,
  applyCancelRequested,
  applyDelivered,
  applyFinished,
  applyForwarded,
  applyHookRequested,
  applyHookRun,
  applyReached,
  applySent,
  applySupersede,
  applyTick,
} from '../../core/rollout/reports.ts';
import { applyRevise, type Revision } from '../../core/rollout/revise.ts';
import { type RolloutStart, type RolloutState, RULES_VERSION } from '../../core/rollout/state.ts';
import type { HumanMessage, HumanVerb, RolloutResult, RolloutView, Step } from '../../core/rollout/types.ts';
import { stepWait, type Wait, wants } from '../../core/rollout/wants.ts';

/** 2026-01-01T00:00:00Z */
export const STORY_BEGAN_MS = Date.UTC(2026, 0, 1);

export type HookAnswer = { hookRun: string; phase?: string; message?: string } | { blocked: string; message: string };

export class RolloutStory {
  state: RolloutState;
  nowMs: number;
  readonly sent: { sequence: number; allowance: Allowance; view: RolloutView }[] = [];
  readonly created: { stepIndex: number; attempt: number }[] = [];
  readonly terminated: string[] = [];
  readonly forwarded: { verb: 'retry' | 'skip'; message: HumanMessage }[] = [];
  result?: RolloutResult;
  /** What creating a HookRun answers; `undefined` leaves the call in flight. */
  hookAnswer: (attempt: number, stepIndex: number) => HookAnswer | undefined = (attempt, stepIndex) => ({
    hookRun: `run-${stepIndex}-${attempt}`,
  });

  constructor(steps: Step[], start: Partial<RolloutStart> = {}, nowMs = STORY_BEGAN_MS) {
    this.nowMs = nowMs;
    const revisions = { fromRevision: 'lobby-old', toRevision: 'lobby-new', rolledBack: false };
    const spec = { steps, stepsHash: JSON.stringify(steps), pausedByUser: false };
    const workload = 'gamedeployment/default/lobby';
    this.state = begin(
      { rulesVersion: RULES_VERSION, workload, number: 3, ...revisions, ...spec, ...start },
      this.nowMs,
    );
    this.carryOut();
  }

  /** What the timer of the present step runs for. */
  get waits(): Wait | undefined {
    return stepWait(this.state);
  }

  /** The newest allowance that the workload was told. */
  get allowance(): Allowance | undefined {
    return this.sent.at(-1)?.allowance;
  }

  /** Index and part of the present step, with its pause where there is one. */
  get at(): string {
    const { stepIndex, part, pause, hold } = this.state;
    return [stepIndex, part, ...(pause ? ['paused'] : []), ...(hold ? ['held'] : [])].join(' ');
  }

  /** The workload has done all that the newest allowance permits. */
  reach(partition = 0, sequence = this.state.sequence, number = this.state.number): this {
    return this.take(applyReached(this.state, { number, sequence, partition }, this.nowMs));
  }

  block(reason: string, message = reason, sequence = this.state.sequence): this {
    return this.take(applyBlocked(this.state, { number: this.state.number, sequence, reason, message }, this.nowMs));
  }

  hookEnds(phase: string, message?: string, hookRun = this.state.hook?.hookRun ?? ''): this {
    return this.take(applyFinished(this.state, { hookRun, phase, ...(message ? { message } : {}) }, this.nowMs));
  }

  /** An answer to the creation of a HookRun that was left in flight. */
  hookCreated(asked: { stepIndex: number; attempt: number }, answer: HookAnswer): this {
    return this.take(applyHookRun(this.state, asked, answer, this.nowMs));
  }

  supersede(rolledBack = false, number = this.state.number + 1): this {
    return this.take(applySupersede(this.state, { number, revision: 'lobby-next', rolledBack }, this.nowMs));
  }

  revise(revision: Partial<Revision>): this {
    const pausedByUser = this.state.userPausedSinceMs !== undefined;
    return this.take(applyRevise(this.state, { pausedByUser, ...revision }, this.nowMs));
  }

  edit(steps: Step[], stepsHash = JSON.stringify(steps)): this {
    return this.revise({ steps, stepsHash });
  }

  /** What a person is answered: the answer, or `refused: …`. Two calls without `pass` between them are one instant. */
  say(verb: HumanVerb, message: HumanMessage = {}): string {
    const applied = applyHuman(this.state, verb, message, this.nowMs);
    if ('refusal' in applied) return `refused: ${applied.refusal}`;
    this.take(applied.state);
    return applied.answer;
  }

  pass(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this.take(applyTick(this.state, this.nowMs));
  }

  private take(state: RolloutState): this {
    this.state = state;
    this.carryOut();
    return this;
  }

  private carryOut(): void {
    for (let turns = 0; turns < 100; turns += 1) {
      const want = wants(this.state, this.nowMs);
      switch (want.act) {
        case 'allow':
          this.sent.push({ sequence: want.sequence, allowance: want.allowance, view: want.view });
          this.state = applyDelivered(applySent(this.state, want.sequence));
          break;
        case 'forward':
          this.forwarded.push({ verb: want.verb, message: want.message });
          this.state = applyForwarded(this.state);
          break;
        case 'cancel-hook-run':
          this.terminated.push(want.hookRun);
          this.state = applyCallEnded(applyCancelRequested(this.state, want.hookRun), this.nowMs);
          break;
        case 'create-hook-run':
          this.createHookRun(want);
          break;
        case 'close':
          this.result = want.result;
          return;
        case 'wait':
          return;
      }
    }
    throw new Error(`the rollout never comes to rest: ${JSON.stringify(wants(this.state, this.nowMs))}`);
  }

  private createHookRun({ stepIndex, attempt }: { stepIndex: number; attempt: number }): void {
    this.created.push({ stepIndex, attempt });
    this.state = applyHookRequested(this.state);
    const answer = this.hookAnswer(attempt, stepIndex);
    if (answer) this.state = applyHookRun(this.state, { stepIndex, attempt }, answer, this.nowMs);
  }
}
