/**
 * The outside judge of protocol.md §6: replays the API server's audit log in the order of its writes and says which
 * writes of ours broke a promise. Believes nothing the controller says of itself but the step index in its status.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';
import type { AuditEvent, CommittedWrite } from './audit-log.ts';
import { orderWrites, readAuditLog } from './audit-log.ts';
import { HookHistory } from './hook-history.ts';
import { owningWorkload, revisionOf } from './judged-pod.ts';
import { NodeHistory } from './node-history.ts';
import { type PodChange, PodReplay } from './pod-replay.ts';
import { checkAskedInTime, checkAskedOnce, checkHeld, checkOwed, checkTold } from './promised-after-update.ts';
import { checkByHand } from './promised-by-hand.ts';
import { promisedPatience } from './promised-numbers.ts';
import {
  checkBudget,
  checkForce,
  checkGate,
  checkPartition,
  checkSurge,
  type Scene,
  spendingOf,
  turnedTo,
} from './promises.ts';
import type { SpokenWord } from './spoken-words.ts';
import { readWorkloads, type WorkloadHistory } from './workload-history.ts';

export interface JudgeOptions {
  /** Which writes are ours; by default those with user agent `holdfast/…` or field manager `holdfast`. */
  isOurs?: (event: AuditEvent) => boolean;
  /** How long what others did is not held against us; 5 s. */
  graceMs?: number;
  /** How long after a step's first move the status may still show the step before; 10 s. */
  statusLagMs?: number;
  /** The partition in force, where the test knows it better than the status tells; `undefined` leaves it to the status. */
  partitionOf?: (at: { workload: string; revision: string; atMs: number }) => IntOrString | undefined;
  /** What people said to workflows about hooks. */
  words?: readonly SpokenWord[];
}

/**
 * Of hooks: `gate` before a move, `owed` after an update in place, `held` while one of those has failed, `told` before a step is
 * passed, `asked` when and how often. `incomplete`: the log lacks what a judgement needs, so it cannot clear the write either.
 */
export type JudgedPromise =
  | ('budget' | 'surge' | 'partition' | 'by-hand' | 'force')
  | ('gate' | 'owed' | 'held' | 'told' | 'asked')
  | 'incomplete';

export interface Violation {
  promise: JudgedPromise;
  /** Time of the answer, milliseconds since the epoch. */
  atMs: number;
  /** `<namespace>/<name>`; of the workload empty where it is unknown. */
  workload: string;
  /** Where none was written, what was. */
  pod: string;
  auditID: string;
  /** One readable sentence with time, pod and numbers. */
  sentence: string;
}

export interface Verdict {
  violations: Violation[];
  /** How many writes of ours each promise was judged at: a verdict over nothing is no proof. */
  judged: {
    spending: number;
    creates: number;
    turns: number;
    questions: number;
    /** Turns of which the test knew the partition better than the status. */
    known: number;
  };
}

/** Judges the log file of a devstack; see `judge`. */
export async function judgeAuditLog(path: string, options: JudgeOptions = {}): Promise<Verdict> {
  return judge(await readAuditLog(path), options);
}

/** Judges every write of ours to a workload's pods, of either kind. The events must reach back to before the pods existed. */
export function judge(events: readonly AuditEvent[], options: JudgeOptions = {}): Verdict {
  const session = new Session(orderWrites(events), options);
  return session.run();
}

/** Throws with all sentences when a promise was broken. @throws Error */
export function assertKept({ violations }: Verdict): void {
  if (violations.length === 0) return;
  const sentences = violations.map(({ sentence }) => `  ${sentence}`);
  throw new Error(`${violations.length} promises of protocol.md §6 were broken:\n${sentences.join('\n')}`);
}

const GRACE_MS = 5_000;
const NOTHING: Verdict['judged'] = { spending: 0, creates: 0, turns: 0, questions: 0, known: 0 };
const STATUS_LAG_MS = 10_000;

/** A write of ours. `workload` is absent where the log does not tell of the owner. */
interface Reported {
  write: CommittedWrite;
  /** `<namespace>/<name>` of what was written. */
  key: string;
  workload: WorkloadHistory | undefined;
}

/** One to one pod. */
interface OwnAct extends Reported {
  position: number;
  change: PodChange;
  owner: string;
}

class Session {
  readonly #writes: CommittedWrite[];
  readonly #options: JudgeOptions;
  readonly #workloads: Map<string, WorkloadHistory>;
  readonly #replay = new PodReplay();
  readonly #nodes = new NodeHistory();
  readonly #hooks = new HookHistory();
  readonly #firstRevisions = new Map<string, string>();
  readonly #verdict: Verdict = { violations: [], judged: { ...NOTHING } };

  constructor(writes: CommittedWrite[], options: JudgeOptions) {
    this.#writes = writes;
    this.#options = options;
    this.#workloads = readWorkloads(writes);
  }

  run(): Verdict {
    for (const [position, write] of this.#writes.entries()) {
      const isOurs = (this.#options.isOurs ?? isHoldfast)(write.event);
      this.#nodes.apply(write);
      if (isOurs) this.#judgeQuestion(position, write);
      this.#hooks.apply(write, isOurs);
      if (isOurs) this.#judgeStatus(position, write);
      for (const change of this.#replay.changesOf(write)) this.#follow(position, { write, change, isOurs });
    }
    return this.#verdict;
  }

  /** A HookRun of a pod is made. */
  #judgeQuestion(position: number, write: CommittedWrite): void {
    const run = HookHistory.made(write);
    const workload = this.#workloads.get(run?.owner ?? '');
    if (run === undefined || workload === undefined || workload.isDeletedAt(position)) return;
    this.#verdict.judged.questions++;
    const act = { write, workload, key: write.key };
    this.#report('asked', act, checkAskedOnce(this.#hooks, run));
    if (run.type === 'post-inplace-step') this.#report('asked', act, checkAskedInTime(this.#replay.get(run.podUid)));
  }

  /** The status of a workload is written. */
  #judgeStatus(position: number, write: CommittedWrite): void {
    const owner = write.resource.endsWith('/status') ? (write.event.responseObject?.metadata?.uid ?? '') : '';
    const workload = this.#workloads.get(owner);
    const [before] = workload?.inForce(position, write.answeredMs) ?? [];
    if (workload === undefined || before === undefined || workload.isDeletedAt(position)) return;
    const after = write.event.responseObject as unknown as GameWorkload;
    const { statusLagMs: lagMs = STATUS_LAG_MS } = this.#options;
    const facts = this.#facts(position, write, { owner, workload });
    this.#report('told', { write, workload, key: write.key }, checkTold({ ...facts, before, after, lagMs }));
  }

  #follow(
    position: number,
    { write, change, isOurs }: { write: CommittedWrite; change: PodChange; isOurs: boolean },
  ): void {
    const owner = owningWorkload(change.before?.object ?? change.after);
    const workload = owner === undefined ? undefined : this.#workloads.get(owner);
    if (isOurs && owner !== undefined) this.#judge({ position, write, change, key: change.key, owner, workload });
    this.#noteFirstRevision(owner, change);
    const [newest] = workload?.inForce(position, write.answeredMs) ?? [];
    const minReadySeconds = newest === undefined ? 0 : promisedPatience(newest);
    this.#replay.apply(change, { isOurs, atMs: write.answeredMs, minReadySeconds });
  }

  #noteFirstRevision(owner: string | undefined, { after }: PodChange): void {
    const revision = revisionOf(after);
    if (owner === undefined || revision === undefined || this.#firstRevisions.has(owner)) return;
    this.#firstRevisions.set(owner, revision);
  }

  #judge(act: OwnAct): void {
    const { workload, position } = act;
    if (workload?.isDeletedAt(position)) return;
    const scene = this.#scene(act);
    const missing = whatIsMissing(act, scene);
    if (missing) this.#report('incomplete', act, `the log does not tell of ${missing} before it`);
    else this.#check(act, scene);
  }

  #check(act: OwnAct, scene: Scene): void {
    const { judged } = this.#verdict;
    const spending = spendingOf(scene);
    this.#report('by-hand', act, checkByHand(scene));
    this.#report('owed', act, checkOwed(scene));
    this.#report('held', act, checkHeld(scene));
    if (isForced(act)) this.#report('force', act, checkForce(scene));
    if (spending !== 'none') {
      judged.spending++;
      this.#report('budget', act, checkBudget(scene));
      this.#report('gate', act, checkGate(scene, spending));
    }
    if (isCreate(act)) {
      judged.creates++;
      this.#report('surge', act, checkSurge(scene));
    }
    const revision = turnedTo(scene);
    if (revision === undefined) return;
    judged.turns++;
    const workload = act.workload?.key ?? '';
    const knownPartition = this.#options.partitionOf?.({ workload, revision, atMs: act.write.answeredMs });
    if (knownPartition !== undefined) judged.known++;
    this.#report('partition', act, checkPartition({ ...scene, knownPartition }, revision));
  }

  #scene({ position, write, change, owner, workload }: OwnAct): Scene {
    const { graceMs = GRACE_MS, statusLagMs = STATUS_LAG_MS } = this.#options;
    const { receivedMs, answeredMs } = write;
    return {
      ...this.#facts(position, write, { owner, workload }),
      before: change.before,
      after: change.after,
      inForce: workload?.inForce(position, receivedMs - graceMs) ?? [],
      following: workload?.following(position, answeredMs + statusLagMs) ?? [],
      firstRevision: this.#firstRevisions.get(owner) ?? revisionOf(change.after),
      receivedMs,
      isNodeLost: this.#nodes.isLostSince(change.before?.object.spec.nodeName ?? '', receivedMs - graceMs),
      knownPartition: undefined,
    };
  }

  /** What is known of the workload's pods and hooks at any write. */
  #facts(position: number, { answeredMs }: CommittedWrite, { owner, workload }: Pick<OwnAct, 'owner' | 'workload'>) {
    const { graceMs = GRACE_MS, words = [] } = this.#options;
    return {
      ...{ owner, words, answeredMs, graceMs, hooks: this.#hooks, key: workload?.key ?? '' },
      pods: this.#replay.ownedBy(owner),
      retriedMs: () => workload?.retriedMs(position) ?? 0,
      targetSinceMs: (revision: string) => workload?.targetSinceMs(position, revision) ?? 0,
    };
  }

  #report(promise: JudgedPromise, { write, key, workload }: Reported, broken: string | undefined): void {
    if (broken === undefined) return;
    const { event, answeredMs, revision } = write;
    const time = new Date(answeredMs).toISOString().slice(11, 23);
    const what = `${event.verb} ${write.resource} ${key} at resourceVersion ${revision ?? '?'}`;
    this.#verdict.violations.push({
      promise,
      atMs: answeredMs,
      workload: workload?.key ?? '',
      pod: key,
      auditID: event.auditID,
      sentence: `${time} ${promise}: ${what} for ${workload?.key ?? 'an unknown workload'}: ${broken}`,
    });
  }
}

function whatIsMissing(act: OwnAct, scene: Scene): string | undefined {
  if (scene.inForce.length === 0) return 'the workload';
  return act.change.before || isCreate(act) ? undefined : 'the pod';
}

function isForced({ write: { event } }: OwnAct): boolean {
  const asked = event.requestObject as { gracePeriodSeconds?: number } | undefined;
  return event.verb === 'delete' && asked?.gracePeriodSeconds === 0;
}

function isCreate({ write }: OwnAct): boolean {
  return write.resource === 'pods' && write.event.verb === 'create';
}

export function isHoldfast({ userAgent = '', requestURI }: AuditEvent): boolean {
  return userAgent.startsWith('holdfast/') || /[?&]fieldManager=holdfast(?:&|$)/.test(requestURI);
}
