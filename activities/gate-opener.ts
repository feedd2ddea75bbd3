/**
 * Opens the gate of new pods straight from the process-wide store, so that their readiness does not depend on Temporal
 * (protocol §3). One per worker process. Touches only a condition that is absent: a gate that an update closed is never
 * opened here.
 */
import { gateOf, isActive } from '../core/pods.ts';
import { API_GROUP, GAME_DEPLOYMENT, GAME_STATEFUL_SET } from '../crds/api.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import { openNewGate } from './pod-writes.ts';
import type { Logger } from './ports.ts';

export interface GateOpenerOptions {
  client: KubernetesClient;
  pods: StoreReader<Pod>;
  nowMs: () => number;
  monotonicMs: () => number;
  log: Logger;
  /** How long `createPods` has to open the gate itself; 2,000 when absent. */
  patienceMs?: number;
}

const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 500;
/** Gates opened per look: 40 a second at most, so that a crowd of new pods does not starve other writes. */
const BATCH = 20;

export interface GateOpener {
  /** Ends after the writes under way. */
  stop(): Promise<void>;
}

export function startGateOpener(options: GateOpenerOptions): GateOpener {
  return new StoreGateOpener(options);
}

class StoreGateOpener implements GateOpener {
  readonly #options: GateOpenerOptions;
  /** Uids of pods whose gate is absent, and when it is their turn (monotonic). */
  readonly #waiting = new Map<string, number>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopped = false;

  constructor(options: GateOpenerOptions) {
    this.#options = options;
    this.#unsubscribe = options.pods.onChange(({ kind, object }) => this.#see(object, kind === 'deleted'));
    for (const pod of options.pods.list()) this.#see(pod, false);
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
    if (isDeleted || !isForgotten(pod)) this.#waiting.delete(uid);
    else if (!this.#waiting.has(uid)) this.#waiting.set(uid, this.#options.monotonicMs() + this.#patienceMs);
  }

  #look(): void {
    if (this.#isBusy) return;
    const now = this.#options.monotonicMs();
    const due = [...this.#waiting].filter(([, dueAt]) => dueAt <= now).slice(0, BATCH);
    if (due.length === 0) return;
    this.#isBusy = true;
    this.#work = Promise.all(due.map(([uid]) => this.#open(uid))).then(() => {
      this.#isBusy = false;
    });
  }

  async #open(uid: string): Promise<void> {
    const { client, pods, nowMs, monotonicMs, log } = this.#options;
    const pod = pods.getByUid(uid);
    // The watch says when the gate is open; until then it is tried again, later.
    if (pod === undefined) this.#waiting.delete(uid);
    else this.#waiting.set(uid, monotonicMs() + this.#patienceMs);
    if (pod === undefined) return;
    try {
      await openNewGate({ client, nowMs, fence: { isOpen: () => !this.#isStopped } }, pod);
    } catch (err) {
      log.warn({ err, pod: pod.metadata.name }, 'the gate of a new pod was not opened');
    }
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? PATIENCE_MS;
  }
}

const OUR_KINDS: ReadonlySet<string> = new Set([GAME_DEPLOYMENT.kind, GAME_STATEFUL_SET.kind]);

/** A pod of ours whose gate nobody has opened. */
function isForgotten(pod: Pod): boolean {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const isOurs = owner !== undefined && OUR_KINDS.has(owner.kind) && owner.apiVersion.startsWith(`${API_GROUP}/`);
  return isOurs && isActive(pod) && gateOf(pod) === 'absent';
}
