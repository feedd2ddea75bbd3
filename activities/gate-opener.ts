/**
 * Opens gates straight from the process-wide store, so that pods become ready without Temporal (protocol §3). One per worker
 * process. It opens a condition that is absent, and, while Temporal does not answer, a gate behind an update in place that is
 * proven. A gate whose update is still to come is never opened here.
 */
import { mayOpenGate } from '../core/in-place.ts';
import { SUSPEND_ANNOTATION } from '../core/keys.ts';
import { gateOf, isActive, isComingUp } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { ownerIn, ownerKeyOf, type WorkloadStores } from './kinds.ts';
import type { Lanes } from './lanes.ts';
import { openGate } from './pod-writes.ts';
import type { Logger, Stores } from './ports.ts';

export interface GateOpenerOptions {
  client: KubernetesClient;
  stores: WorkloadStores & Pick<Stores, 'pods'>;
  /** Its openings take turns with those of new pods. Absent: there are no others. */
  lanes?: Pick<Lanes, 'gates'>;
  /** Uids of pods whose gates a move attempt of this process opens, or will. Absent: there are no others. */
  gatesInHand?: ReadonlySet<string>;
  /** Nobody else finishes updates now. Absent: somebody always does. */
  isAlone?: () => boolean;
  nowMs: () => number;
  monotonicMs: () => number;
  log: Logger;
  /** How long nobody may have changed the pod, see `PATIENCE_MS`. */
  patienceMs?: number;
}

/**
 * A pod that changes or is coming up is at work, or `createPods` is about to open its gate: that one waits 1.5 s for a pod to be
 * quiet, and 5 s at most (new-gates.ts).
 */
const PATIENCE_MS = 2_000;
const LONGEST_WAIT_MS = 6_000;
const LOOK_EVERY_MS = 500;
/** Gates opened per look: 40 a second at most, so that a crowd of new pods does not starve other writes. */
const BATCH = 20;

interface Waiting {
  /** When it is this pod's turn; put off by each change, up to `latestAt`. Monotonic milliseconds. */
  dueAt: number;
  latestAt: number;
}

export interface GateOpener {
  /** Ends after the writes under way. */
  stop(): Promise<void>;
}

export function startGateOpener(options: GateOpenerOptions): GateOpener {
  return new StoreGateOpener(options);
}

class StoreGateOpener implements GateOpener {
  readonly #options: GateOpenerOptions;
  /** Pods whose gate may be opened, by uid. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopped = false;

  constructor(options: GateOpenerOptions) {
    this.#options = options;
    const { pods } = options.stores;
    this.#unsubscribe = pods.onChange(({ kind, object }) => this.#see(object, kind === 'deleted'));
    for (const pod of pods.list()) this.#see(pod, false);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#unsubscribe();
    await this.#work;
  }

  #see(pod: Pod, isDeleted: boolean): void {
    const uid = pod.metadata.uid ?? '';
    if (isDeleted || !isWaiting(pod)) this.#waiting.delete(uid);
    else this.#putOff(pod, this.#waiting.get(uid)?.latestAt);
  }

  #putOff(pod: Pod, latestAt = this.#options.monotonicMs() + LONGEST_WAIT_MS): void {
    const quietAt = this.#options.monotonicMs() + (this.#options.patienceMs ?? PATIENCE_MS);
    const dueAt = isComingUp(pod) ? latestAt : Math.min(quietAt, latestAt);
    this.#waiting.set(pod.metadata.uid ?? '', { dueAt, latestAt });
  }

  #look(): void {
    if (this.#isBusy) return;
    const now = this.#options.monotonicMs();
    const isFree = (uid: string) => this.#options.gatesInHand?.has(uid) !== true;
    const turns = [...this.#waiting].filter(([uid, { dueAt }]) => dueAt <= now && isFree(uid));
    const due = turns.map(([uid]) => this.#podOf(uid));
    const ours = due.filter((pod) => pod !== undefined && this.#isOurTurn(pod)).slice(0, BATCH) as Pod[];
    if (ours.length === 0) return;
    this.#isBusy = true;
    this.#work = Promise.all(ours.map((pod) => this.#open(pod))).then(() => {
      this.#isBusy = false;
    });
  }

  #podOf(uid: string): Pod | undefined {
    const pod = this.#options.stores.pods.getByUid(uid);
    if (pod === undefined) this.#waiting.delete(uid);
    return pod;
  }

  /** The workload itself opens the gates of its updates, as a wave, while it can. */
  #isOurTurn(pod: Pod): boolean {
    if (gateOf(pod) === 'absent') return true;
    const { isAlone, stores } = this.#options;
    return isAlone?.() === true && ownerIn(stores, pod)?.metadata.annotations?.[SUSPEND_ANNOTATION] !== 'true';
  }

  async #open(pod: Pod): Promise<void> {
    const { client, nowMs, log, lanes } = this.#options;
    const opening = () => openGate({ client, nowMs, fence: { isOpen: () => !this.#isStopped } }, pod);
    // The watch says when the gate is open; until then it is tried again, later.
    this.#putOff(pod);
    try {
      await (lanes === undefined ? opening() : lanes.gates(opening));
    } catch (err) {
      log.warn({ err, pod: pod.metadata.name }, 'the gate of a pod was not opened');
    }
  }
}

/** A pod of ours whose gate is all that it waits for. */
const isWaiting = (pod: Pod): boolean => ownerKeyOf(pod) !== undefined && isActive(pod) && mayOpenGate(pod);
