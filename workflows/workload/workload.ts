/**
 * One workload: the only one that moves its pods (design §4). Looks, moves, reports, and sleeps until a bell rings. All
 * rules stand in core; this is the loop that carries them out.
 */
import { condition, makeContinueAsNewFunc, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { Observation, ObserveRequest, WorkloadKey } from '../../activities/types.ts';
import { hasNewVerdict } from '../../core/plan/wave.ts';
import { calmDown, restMs, takeSight } from '../../core/workload/bookkeeping.ts';
import { takeSpecRetry } from '../../core/workload/gate-words.ts';
import { chooseRollout, isProofDue, isRefusalOutdated, isSettledAtOnce } from '../../core/workload/rollout-choice.ts';
import { takeSpecPause } from '../../core/workload/spec-pause.ts';
import { newWorkloadState, type WorkloadState } from '../../core/workload/state.ts';
import { type Asked, areCreatesEarly, askedOf, isAwaited, isStillAllowed } from '../../core/workload/telling.ts';
import { rulesMemo } from '../rules.ts';
import { detailsOf } from './details.ts';
import { listen, type WorkloadBox } from './inbox.ts';
import { letGoOfPods } from './letting-go.ts';
import {
  isThrifty,
  provesAgain,
  refuseUnknownRules,
  remembersPauses,
  reportsAfterWaves,
  waitsForFirstWord,
} from './patches.ts';
import { recordTemplate } from './recording.ts';
import { Reporting } from './reporting.ts';
import { lookRequest } from './requests.ts';
import { beginRollout, endRollout, reviveRollout, tellProgress, tellSpec } from './rollout-link.ts';
import { Sight } from './sight.ts';
import { keepSpecPause } from './spec-pause.ts';
import { carryOut } from './wave.ts';

/** Well under the server's limits, so that a cold replay takes a second (design §4). */
const EVENTS_PER_RUN = 2_000;
const SIGNALS_PER_RUN = 1_000;
/** An attempt whose run is gone learns it by its heartbeat, and spends nothing on facts older than 4.5 s. */
const CALM_MS = 5_000;
/** Looks again by itself where pods are on their way and no bell says so. */
const LOOK_AGAIN_MS = 300_000;

export interface WorkloadArgs {
  key: WorkloadKey;
  /** Pods were found that outlived the object: they are let go, although this run never knew it. */
  isLeftBehind?: true;
  /** State of the run before; only continue-as-new sets it. */
  carried?: WorkloadState;
}

/** A rollout speaks as soon as it runs. */
const FIRST_WORD_MS = 3_000;

/** Workflow `<kind>/<namespace>/<name>`: runs as long as the object exists. */
export async function workload({ key, carried, isLeftBehind }: WorkloadArgs): Promise<void> {
  refuseUnknownRules();
  const box: WorkloadBox = { state: carried ?? newWorkloadState() };
  listen(box);
  await new Loop(key, box, isLeftBehind === true).run();
}

/** The next run goes by the rules of today. */
const again = (args: WorkloadArgs): Promise<never> =>
  makeContinueAsNewFunc<typeof workload>({ memo: rulesMemo() })(args);

class Loop {
  readonly #key: WorkloadKey;
  readonly #box: WorkloadBox;
  readonly #reporting: Reporting;
  readonly #sight: Sight;
  readonly #isLeftBehind: boolean;
  /** Nobody moves pods on behalf of a run that was lost. */
  #isCalm = false;
  /** The last status was left to the next look: bells that ring without end hold up one status, not all. */
  #wasOvertaken = false;

  constructor(key: WorkloadKey, box: WorkloadBox, isLeftBehind: boolean) {
    this.#key = key;
    this.#box = box;
    this.#isLeftBehind = isLeftBehind;
    this.#sight = new Sight(box);
    this.#reporting = new Reporting({ key, state: () => box.state });
  }

  get #state(): WorkloadState {
    return this.#box.state;
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#continueWhenFull();
      this.#state.isRung = false;
      const asked = askedOf(this.#state);
      const observation = await this.#look(asked);
      if (observation === undefined) continue;
      if (observation.gone) return await this.#end();
      if (this.#state.uid !== '' && observation.uid !== this.#state.uid) return await this.#beginAgain();
      this.#state.uid = observation.uid;
      if (observation.deleting) await this.#sleep(LOOK_AGAIN_MS);
      else await this.#act(asked, observation);
    }
  }

  /** Undefined where a new allowance made the observation worthless. */
  async #look(asked: Asked): Promise<Observation | undefined> {
    const observation = await this.#sight.look(this.#request(asked));
    if (observation !== undefined) this.#state.needsQuorum = false;
    this.#sight.isWaiting = false;
    return observation;
  }

  #request(asked: Asked): ObserveRequest {
    return lookRequest(this.#key, this.#state, asked, this.#reporting.shown());
  }

  async #act(asked: Asked, seen: Observation): Promise<void> {
    const state = this.#state;
    const { generation, triggers, updateRevision } = seen;
    if (seen.recovered !== undefined && !this.#isCalm) return await this.#calm();
    takeSight(state, seen);
    if (updateRevision === null || this.#isProofDue(seen)) return await this.#record(asked, seen);
    const observation = { ...seen, spec: { ...seen.spec, ...takeSpecPause(state, seen.spec, remembersPauses) } };
    Object.assign(state, { updateRevision, handled: { generation, triggers } });
    this.#takeSpec(observation);
    await this.#followTemplate({ ...observation, updateRevision });
    await tellSpec(this.#key, state, observation);
    const isOutdated = await this.#isOvertakenByWord(observation);
    if (!isOutdated) await this.#moveAndTell(asked, observation, seen);
    state.pausedByUser = observation.spec.pausedByUser;
    if (isOutdated) return;
    if (this.#canSleep(observation)) return await this.#sleepUntil(observation);
    this.#sight.isWaiting = !this.#state.isRung;
    await this.#rest(observation);
  }

  /** What is seen right after is acted on as any look, unless it asks for a record again or is of another object. */
  async #record(asked: Asked, observation: Observation): Promise<void> {
    const state = this.#state;
    const seen = await recordTemplate(this.#key, state, observation, () => this.#request(asked));
    const isUsable = seen?.uid === state.uid && !seen.gone && !seen.deleting && seen.updateRevision !== null;
    if (isUsable && !this.#isProofDue(seen)) await this.#act(asked, seen);
  }

  #isProofDue(seen: Observation): boolean {
    return isProofDue(this.#state, seen) || (isRefusalOutdated(this.#state, seen) && provesAgain());
  }

  /** The run before this one may have been terminated in a wave: whoever carries it out hears of that within seconds. */
  async #calm(): Promise<void> {
    await sleep(CALM_MS, { summary: 'what a lost run has begun ends' });
    this.#isCalm = true;
    this.#state.needsQuorum = true;
  }

  #takeSpec(observation: Observation): void {
    const state = this.#state;
    if (state.stableRevision === '') state.stableRevision = observation.stableRevision;
    takeSpecRetry(state, observation.spec, Date.now());
    calmDown(state, observation);
  }

  async #followTemplate(observation: Observation & { updateRevision: string }): Promise<void> {
    const state = this.#state;
    if (isSettledAtOnce(state, observation)) {
      state.stableRevision = observation.updateRevision;
      return;
    }
    const choice = chooseRollout(state, observation);
    if (choice !== null) await beginRollout(this.#key, state, choice, observation);
    else if (state.isResync) await reviveRollout(this.#key, state, observation.spec);
    this.#reporting.isRepairDue ||= state.isResync;
    state.isResync = false;
  }

  /** Creates wait for the first word of a rollout that was started just now, but not for one that does not speak. */
  async #isOvertakenByWord({ moves }: Observation): Promise<boolean> {
    if (!areCreatesEarly(this.#state, moves) || !waitsForFirstWord()) return false;
    return await condition(() => !isAwaited(this.#state), FIRST_WORD_MS);
  }

  /** A status of a wave that needs nobody is written after it. */
  async #moveAndTell(asked: Asked, observation: Observation, seen: Observation): Promise<void> {
    const [, isLeft] = await Promise.all([this.#move(asked, observation), this.#tell(asked, observation, seen)]);
    if (isLeft) await this.#reporting.show(observation, { isMoving: true, isUrgent: false, isInWave: false });
  }

  /** A rollout that has changed its word since the look gets another look. */
  async #move(asked: Asked, observation: Observation): Promise<void> {
    const input = { key: this.#key, box: this.#box, asked, observation };
    if (observation.moves.length > 0 && isStillAllowed(this.#state, asked)) await carryOut(input);
  }

  /** The rollout hears of it, and the status says so at once. Answers whether that is left until the wave is over. */
  async #tell(asked: Asked, observation: Observation, seen: Observation): Promise<boolean> {
    const isUrgent = hasNewVerdict(observation.blockers, this.#state.told.blockers);
    const isAnswered = await tellProgress(this.#key, this.#state, asked, observation);
    if (await keepSpecPause(this.#key, this.#state, seen)) return false;
    setCurrentDetails(detailsOf(this.#key, this.#state, observation));
    const isOvertaken = !isUrgent && isThrifty() && this.#isOvertaken(isAnswered, observation);
    if (isOvertaken && this.#reporting.leaveToNext()) return false;
    if (!isUrgent && observation.moves.length > 0 && reportsAfterWaves()) return true;
    const isInWave = observation.moves.length > 0;
    await this.#reporting.show(observation, { isMoving: !this.#canSleep(observation), isUrgent, isInWave });
    return false;
  }

  /** Nothing moves, and a word of the rollout is on its way, or a bell has rung: another look follows at once. */
  #isOvertaken(isAnswered: boolean, { isQuiet, moves }: Observation): boolean {
    const isRung = this.#state.isRung && !this.#wasOvertaken;
    this.#wasOvertaken = isRung;
    return isAnswered || isAwaited(this.#state) || (isRung && isQuiet && moves.length === 0);
  }

  /** Nothing moves and nothing was heard since the look: only a bell, a word or time changes that. */
  #canSleep({ moves, isQuiet }: Observation): boolean {
    return isQuiet && moves.length === 0 && !this.#state.isRung;
  }

  /** A wave that brought nothing about is not repeated at once. */
  async #rest({ moves }: Observation): Promise<void> {
    if (moves.length === 0) this.#state.fruitless = 0;
    else if (restMs(this.#state) > 0) await this.#sleep(restMs(this.#state));
  }

  async #sleepUntil({ lookAgainAtMs, asOfMs, inTransition }: Observation): Promise<void> {
    const untilTime = lookAgainAtMs === undefined ? [] : [Math.max(1, lookAgainAtMs - asOfMs)];
    const untilLook = inTransition ? [LOOK_AGAIN_MS] : [];
    // While the status says moving, no pod rings.
    const untilReport = this.#reporting.dueInMs() ?? [];
    const { pauseTrouble } = this.#state;
    const untilWrite = pauseTrouble === undefined ? [] : [Math.max(1, pauseTrouble.retryAtMs - Date.now())];
    const delays = [untilTime, untilLook, untilReport, untilWrite].flat();
    await this.#sleep(delays.length === 0 ? undefined : Math.min(...delays));
  }

  async #sleep(ms: number | undefined): Promise<void> {
    const isAwake = () => this.#state.isRung || this.#isFull();
    if (ms === undefined) await condition(isAwake);
    else await condition(isAwake, ms);
  }

  #isFull(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested || historyLength > EVENTS_PER_RUN || this.#state.signals > SIGNALS_PER_RUN;
  }

  async #continueWhenFull(): Promise<void> {
    if (!this.#isFull()) return;
    const carried = { ...this.#state, signals: 0, needsQuorum: true };
    await again({ key: this.#key, carried });
  }

  /** Another object has the name: its workflow knows nothing of the one before. */
  async #beginAgain(): Promise<void> {
    await this.#letGo();
    await again({ key: this.#key });
  }

  /** A bell that rang meanwhile may be that of another object under the name: it is not lost. */
  async #end(): Promise<void> {
    await this.#letGo();
    if (this.#state.isRung) await again({ key: this.#key });
  }

  async #letGo(): Promise<void> {
    await endRollout(this.#key, this.#state);
    if (this.#state.uid !== '' || this.#isLeftBehind) await letGoOfPods(this.#key, this.#state.uid);
  }
}
