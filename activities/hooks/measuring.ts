/**
 * One attempt at measuring a HookRun: take it up where it stands, measure what is due, write its status, and either end
 * with a verdict or say when to look again. Knows nothing of Temporal; all rules are in core/hooks.
 */
import { describeFault, traceFault } from '../../core/hooks/fault.ts';
import { isTerminal } from '../../core/hooks/phases.ts';
import { addMeasurement, addOpenMeasurement, briefStatus, refuseRun, settleRun } from '../../core/hooks/run.ts';
import { planMeasurements, resultOf } from '../../core/hooks/schedule.ts';
import { summarize } from '../../core/hooks/summary.ts';
import { argumentMap, describeProblems, validateHookRun } from '../../core/hooks/validation.ts';
import { measurementsMade, openMeasurement } from '../../core/hooks/verdict.ts';
import { POD_UID_LABEL } from '../../core/keys.ts';
import type { HookRun, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { InFlight, type Made } from './in-flight.ts';
import { endLeftoverJobs, type LeftoverPorts } from './leftover-jobs.ts';
import { type MeasurementOrder, type MeasurementPorts, makeMeasurement } from './measurement.ts';
import { droppedArguments, droppedArgumentsNote, endNotes, progressOf, shownState, verdictOf } from './notes.ts';
import type { MeasuredRun, ProviderPorts } from './providers/types.ts';
import { findRun, type HookRunClient, resumeStatus, writeStatus } from './stored-run.ts';
import type { HookRunOutcome, MeasureRequest, ShownProgress } from './types.ts';

export interface HookPorts extends MeasurementPorts, LeftoverPorts {
  client: HookRunClient & ProviderPorts['client'];
}

/** One attempt, as Temporal gives it. */
export interface HookAttempt {
  signal: AbortSignal;
  /** What the attempt before told last. */
  told: HookRunStatus | undefined;
  /** Tells how far the run is; what is told counts as measured. */
  tell(status: HookRunStatus): void;
}

export type AttemptEnd =
  | { state: 'ended'; outcome: HookRunOutcome }
  /** To be tried again after this; `message` says what the run waits for. */
  | { state: 'waiting'; againInMs: number; message: string };

/** Waits up to this long are spent in the attempt; longer ones cost no slot. */
const SHORT_WAIT_MS = 10_000;
const ATTEMPT_MS = 60_000;
/** A measurement that goes on so long holds up no other at the end of an attempt; the others are over until then. */
const SLOW_MS = 2_000;
/** Slow ones that are never over at a time are given up after this, and asked again by the next attempt. */
const LONGEST_ATTEMPT_MS = 1_800_000;
const WRITE_EVERY_MS = 10_000;
const TELL_EVERY_MS = 2_000;
const LAST_WRITE_MS = 5_000;
/** Each time it costs the workflow six events. */
const SHOW_EVERY_MS = 600_000;

/**
 * @throws ApiError when the API server does not answer, the signal's reason when the attempt is cancelled.
 */
export async function measureRun(ports: HookPorts, request: MeasureRequest, attempt: HookAttempt): Promise<AttemptEnd> {
  const found = await findRun(ports.client, request, attempt.signal);
  if (!('run' in found)) return ended({ phase: 'Gone', liveUid: found.liveUid });
  const { run } = found;
  const end = isTerminal(run.status?.phase)
    ? ended(verdictOf(run))
    : await workTold(new Measuring(ports, attempt, run, request.shown), attempt.signal);
  // Gone while it was measured: what stands in its place is found anew.
  if (end === undefined) return measureRun(ports, request, attempt);
  // After the verdict is written: whoever dies in between does this again, and no Job is made again.
  if (end.state === 'ended' && end.outcome.phase !== 'Running' && hasJobs(run))
    await endLeftoverJobs(ports, run, attempt.signal);
  return end;
}

/** Tells how far it is at short intervals; Temporal learns by it that the attempt lives. */
async function workTold(measuring: Measuring, signal: AbortSignal): Promise<AttemptEnd | undefined> {
  const timer = setInterval(() => measuring.tell(), TELL_EVERY_MS);
  try {
    return await measuring.work();
  } catch (error) {
    if (!signal.aborted && isApiError(error)) throw error;
    if (!signal.aborted) return await measuring.breakDown(error);
    await measuring.saveWhatIsLeft();
    throw signal.reason;
  } finally {
    clearInterval(timer);
    measuring.giveUp();
  }
}

class Measuring {
  readonly #ports: HookPorts;
  readonly #attempt: HookAttempt;
  readonly #shown: ShownProgress | undefined;
  readonly #endMs: number;
  readonly #inFlight = new InFlight();
  #run: HookRun;
  #status: HookRunStatus;
  #writtenAtMs: number;
  /** The status says more than the object does. */
  #isDirty = false;

  constructor(ports: HookPorts, attempt: HookAttempt, run: HookRun, shown: ShownProgress | undefined) {
    const nowMs = ports.nowMs();
    this.#ports = ports;
    this.#attempt = attempt;
    this.#shown = shown;
    this.#endMs = nowMs + ATTEMPT_MS;
    this.#run = run;
    this.#status = resumeStatus(run, attempt.told, nowMs);
    this.#writtenAtMs = nowMs;
  }

  /** undefined when the run is gone from under it. */
  async work(): Promise<AttemptEnd | undefined> {
    this.#refuseNonsense();
    for (;;) {
      this.#attempt.signal.throwIfAborted();
      for (const made of this.#inFlight.take()) this.#add(made);
      const nowMs = this.#ports.nowMs();
      this.#status = settleRun(this.#run.spec, this.#status, nowMs);
      if (this.#mustWrite(nowMs) && !(await this.#write())) return undefined;
      if (isTerminal(this.#status.phase)) return ended(verdictOf(this.#run));
      if (nowMs >= this.#endMs + LONGEST_ATTEMPT_MS) return await this.#lookAgainAt(nowMs);
      const nextAtMs = this.#startWhatIsDue(nowMs);
      if (this.#inFlight.isEmpty) {
        const isLong = this.#isLongWait(nextAtMs, nowMs);
        if (this.#isNews(isLong, nowMs)) return await this.#showProgress(nowMs);
        if (isLong) return await this.#lookAgainAt(nextAtMs);
      }
      // What has arrived is to be written in time, too.
      await this.#inFlight.wait(Math.min(nextAtMs - nowMs, WRITE_EVERY_MS), this.#attempt.signal);
    }
  }

  tell(): void {
    this.#attempt.tell(briefStatus(this.#status));
  }

  /** Best effort of an attempt that is cancelled: what was measured need not be measured again. */
  async saveWhatIsLeft(): Promise<void> {
    this.tell();
    if (!this.#isDirty) return;
    const signal = AbortSignal.timeout(LAST_WRITE_MS);
    await writeStatus(this.#ports.client, this.#run, this.#status, signal).catch(() => undefined);
  }

  /** A fault of ours, which would come again with each attempt: a run without a verdict would be waited for in silence. */
  async breakDown(error: unknown): Promise<AttemptEnd | undefined> {
    if (isTerminal(this.#run.status?.phase)) throw error;
    const { namespace, name } = this.#run.metadata;
    this.#ports.log.warn({ ...traceFault(error), namespace, hookRun: name }, 'a HookRun broke down');
    this.#refuse(describeFault(error));
    return (await this.#write()) ? ended(verdictOf(this.#run)) : undefined;
  }

  #refuseNonsense(): void {
    const problems = validateHookRun(this.#run.spec);
    if (problems.length > 0) this.#refuse(describeProblems(problems));
  }

  #refuse(message: string): void {
    this.#status = refuseRun(this.#status, message, this.#ports.nowMs());
    this.#isDirty = true;
  }

  /** What still goes on when there is nothing more to be learned from it. */
  giveUp(): void {
    this.#inFlight.giveUp();
  }

  /**
   * Each metric by itself: a slow one holds up no other. An attempt that is over begins nothing, so that it can end, but does where
   * it cannot for a slow one. Answers when to look again: now, if what is due must wait for the next attempt.
   */
  #startWhatIsDue(nowMs: number): number {
    const { due, nextAtMs = nowMs + WRITE_EVERY_MS } = planMeasurements(this.#run.spec, this.#status, nowMs);
    const open = due.filter((metric) => !this.#inFlight.isMeasuring(metric));
    const slowFromMs = this.#inFlight.oldestMs + SLOW_MS;
    const isOver = nowMs >= this.#endMs && nowMs < slowFromMs;
    if (!isOver) for (const metric of open) this.#start(metric, nowMs);
    if (!isOver || open.length === 0) return nextAtMs;
    return this.#inFlight.isEmpty ? nowMs : Math.min(nextAtMs, slowFromMs);
  }

  #start(metric: Metric, nowMs: number): void {
    const order = this.#orderOf(metric);
    this.#inFlight.start(metric, nowMs, (signal) => makeMeasurement(metric, order, this.#ports, signal));
  }

  #add({ metric, measurement }: Made): void {
    this.#status =
      measurement.phase === 'Running'
        ? addOpenMeasurement(this.#status, metric, measurement)
        : addMeasurement(this.#status, metric, measurement);
    this.#isDirty = true;
    this.tell();
  }

  #orderOf({ name }: Metric): MeasurementOrder {
    const { args } = this.#run.spec;
    const result = resultOf(this.#status, name) ?? { name, phase: 'Pending' };
    return {
      run: measuredRun(this.#run),
      args: argumentMap(args),
      number: measurementsMade(result) + 1,
      begunAt: openMeasurement(result)?.startedAt,
    };
  }

  #mustWrite(nowMs: number): boolean {
    if (phasesOf(this.#status) !== phasesOf(this.#run.status)) return true;
    return this.#isDirty && nowMs - this.#writtenAtMs >= WRITE_EVERY_MS;
  }

  /** False when the run is gone. Afterwards run and status are what the API server holds. */
  async #write(): Promise<boolean> {
    const { client, recorder, nowMs } = this.#ports;
    const isFirst = this.#run.status?.startedAt === undefined;
    const status = summarize(this.#run.spec, withNote(this.#run, this.#status), nowMs());
    const written = await writeStatus(client, this.#run, status, this.#attempt.signal);
    if (written === undefined) return false;
    this.#run = written.run;
    this.#status = written.run.status ?? this.#status;
    this.#writtenAtMs = nowMs();
    this.#isDirty = false;
    if (written.won) {
      const dropped = isFirst ? droppedArgumentsNote(this.#run) : undefined;
      if (dropped !== undefined) recorder.record(dropped);
      if (isTerminal(this.#status.phase)) for (const note of endNotes(this.#run)) recorder.record(note);
    }
    return true;
  }

  #isLongWait(nextAtMs: number, nowMs: number): boolean {
    return nextAtMs - nowMs > SHORT_WAIT_MS || nextAtMs >= this.#endMs;
  }

  /** A metric began or ended some time ago, or what the workflow shows is old; a run that is over in a moment needs no news. */
  #isNews(isLongWait: boolean, nowMs: number): boolean {
    if (this.#shown === undefined) return false;
    const { state, untilMs } = this.#shown;
    const hasLasted = isLongWait || nowMs >= this.#endMs - ATTEMPT_MS + SHORT_WAIT_MS;
    return hasLasted && (shownState(this.#status) !== state || nowMs >= untilMs);
  }

  async #showProgress(nowMs: number): Promise<AttemptEnd | undefined> {
    if (this.#isDirty && !(await this.#write())) return undefined;
    const shown = { state: shownState(this.#status), untilMs: nowMs + SHOW_EVERY_MS };
    return ended({ phase: 'Running', metrics: progressOf(this.#status), shown });
  }

  async #lookAgainAt(nextAtMs: number): Promise<AttemptEnd | undefined> {
    if (this.#isDirty && !(await this.#write())) return undefined;
    const { message = '' } = this.#status;
    const next = new Date(nextAtMs).toISOString();
    const sentence = message === '' ? `the first measurement is at ${next}` : `${message}; the next is at ${next}`;
    return { state: 'waiting', againInMs: Math.max(nextAtMs - this.#ports.nowMs(), 1), message: sentence };
  }
}

function measuredRun({ metadata }: HookRun): MeasuredRun {
  const { namespace = '', name, uid = '', labels } = metadata;
  return { namespace, name, uid, podUid: labels?.[POD_UID_LABEL] };
}

function hasJobs({ spec }: HookRun): boolean {
  return spec.metrics.some(({ provider }) => provider.job !== undefined);
}

function ended(outcome: HookRunOutcome): AttemptEnd {
  return { state: 'ended', outcome };
}

/** Everything whose change is a transition; a status that was never written has none of it. */
function phasesOf(status: HookRunStatus | undefined): string {
  const metrics = (status?.metricResults ?? []).map(({ name, phase }) => `${name}=${phase}`);
  return [status?.startedAt === undefined ? '' : 'started', status?.phase ?? '', ...metrics].join();
}

function withNote(run: HookRun, status: HookRunStatus): HookRunStatus {
  const note = droppedArguments(run);
  if (note === undefined || status.message?.includes(note)) return status;
  return { ...status, message: status.message ? `${status.message}; ${note}` : note };
}
