/**
 * Opens the readiness gates of pods that one move attempt has created, each at a quiet moment: the scheduler and the kubelet
 * write to a new pod one after the other, and a patch between theirs makes all of them try again (docs/adr/0020). Owns the
 * waiting and nothing else: what is left when an attempt ends, the gate opener does.
 */
import { mayOpenGate } from '../core/in-place.ts';
import { hasStarted, isActive, isComingUp } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { compareResourceVersions } from '../kubernetes/resource-versions.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import { openGate, type WriteTools } from './pod-writes.ts';
import { CONTROLLER_INDEX, type Ports } from './ports.ts';
import { laterVersion } from './store-fence.ts';

/**
 * A pod that has a kubelet, or found no node, and that nobody has changed for so long is quiet. Less than the gate opener's: the
 * two are not to open one gate at once.
 */
const QUIET_MS = 1_500;
/** The next plan waits for the attempt, so no gate waits longer, whatever its pod is about to do. */
const LONGEST_WAIT_MS = 5_000;
/** How soon it is noticed that a wait is over, or the fence closed. */
const LOOK_EVERY_MS = 100;

export interface NewGatesOptions {
  ports: Pick<Ports, 'monotonicMs' | 'log' | 'lanes' | 'gatesInHand'> & { stores: { pods: StoreReader<Pod> } };
  tools: WriteTools;
  signal: AbortSignal;
  /** Uid of the workload that the pods belong to. */
  owner: string;
  /** Told of each pod as the opening of its gate left it. */
  opened: (pod: Pod) => void;
}

interface Waiting {
  /** As it was answered: the store may not have heard of it. */
  created: Pod;
  /** When its gate is opened as the pod is; put off by each change, up to `latestAt`. Monotonic milliseconds. */
  dueAt: number;
  latestAt: number;
  /** Its moment has come: it waits for a lane. */
  isQueued?: true;
}

export class NewGates {
  readonly #options: NewGatesOptions;
  readonly #waiting = new Map<string, Waiting>();
  #isClosed = false;
  #underWay = 0;
  #stop: (() => void) | undefined;
  #whenIdle: (() => void) | undefined;
  /** The latest version that a write was answered with, until the store is told to await it. */
  #answered: string | undefined;

  constructor(options: NewGatesOptions) {
    this.#options = options;
  }

  /** The gate of this pod is opened when its moment has come, if it needs that at all. */
  add(created: Pod): void {
    const { tools, ports } = this.#options;
    const { uid } = created.metadata;
    if (this.#isClosed || uid === undefined || !tools.fence.isOpen(false)) return;
    this.#stop ??= this.#start();
    const latestAt = ports.monotonicMs() + LONGEST_WAIT_MS;
    this.#waiting.set(uid, { created, dueAt: latestAt, latestAt });
    ports.gatesInHand.add(uid);
    this.#noteAnswer(created);
    this.#noteChange(created);
  }

  /** Resolves when every gate was opened or given up. */
  async settled(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** Begins no more writes, and ends after those under way. Must be called when the attempt ends. */
  async close(): Promise<void> {
    this.#stop?.();
    this.#isClosed = true;
    this.#giveUp();
    await this.settled();
  }

  /** The gate opener does what is left. */
  #giveUp(): void {
    for (const uid of [...this.#waiting.keys()]) this.#drop(uid);
  }

  #start(): () => void {
    const { ports, owner, signal } = this.#options;
    const unsubscribe = ports.stores.pods.subscribe(CONTROLLER_INDEX, owner, ({ object }) => this.#noteChange(object));
    const lookAtAll = () => this.#lookAtAll();
    const timer = setInterval(lookAtAll, LOOK_EVERY_MS);
    signal.addEventListener('abort', lookAtAll);
    return () => {
      unsubscribe();
      clearInterval(timer);
      signal.removeEventListener('abort', lookAtAll);
    };
  }

  #noteAnswer({ metadata: { resourceVersion = '0' } }: Pod): void {
    this.#answered = laterVersion(this.#answered, resourceVersion);
  }

  /** Nobody else awaits it before the attempt ends: a watch that swallows events would be believed for as long. */
  #awaitAnswer(): void {
    const version = this.#answered;
    this.#answered = undefined;
    if (version !== undefined) void this.#options.ports.stores.pods.whenReached(version, { timeoutMs: 0 });
  }

  #lookAtAll(): void {
    this.#awaitAnswer();
    if (!this.#options.tools.fence.isOpen(false)) this.#giveUp();
    for (const uid of [...this.#waiting.keys()]) this.#look(uid);
    this.#noteEnd();
  }

  #noteChange({ metadata: { uid = '' } }: Pod): void {
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined) return;
    const quietAt = this.#options.ports.monotonicMs() + QUIET_MS;
    const pod = this.#newestOf(waiting.created);
    waiting.dueAt = pod !== undefined && isComingUp(pod) ? waiting.latestAt : Math.min(waiting.latestAt, quietAt);
    this.#look(uid);
  }

  #look(uid: string): void {
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined || waiting.isQueued) return;
    const pod = this.#newestOf(waiting.created);
    const isWanted = pod !== undefined && isActive(pod) && mayOpenGate(pod);
    if (isWanted && !hasStarted(pod) && this.#options.ports.monotonicMs() < waiting.dueAt) return;
    if (isWanted) this.#queue(uid, waiting);
    else this.#drop(uid);
    this.#noteEnd();
  }

  #queue(uid: string, waiting: Waiting): void {
    const { lanes, log } = this.#options.ports;
    waiting.isQueued = true;
    lanes
      .gates(() => this.#open(uid))
      .catch((err: unknown) => {
        log.warn({ err, pod: waiting.created.metadata.name }, 'the gate of a new pod was not opened');
      });
  }

  #drop(uid: string): void {
    this.#waiting.delete(uid);
    this.#options.ports.gatesInHand.delete(uid);
  }

  #noteEnd(): void {
    if (this.#isIdle) this.#whenIdle?.();
  }

  /** The pod may have changed, or the attempt ended, while it waited for its turn. */
  async #open(uid: string): Promise<void> {
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined) return;
    this.#waiting.delete(uid);
    this.#underWay += 1;
    try {
      const pod = this.#newestOf(waiting.created);
      const outcome = pod === undefined ? undefined : await openGate(this.#options.tools, pod);
      if (outcome?.result === 'done' && outcome.pod !== undefined) this.#noteOpened(outcome.pod);
    } finally {
      this.#underWay -= 1;
      this.#drop(uid);
      this.#noteEnd();
    }
  }

  #noteOpened(pod: Pod): void {
    this.#noteAnswer(pod);
    this.#options.opened(pod);
  }

  /** Undefined where it is gone. */
  #newestOf(created: Pod): Pod | undefined {
    const { uid = '', resourceVersion = '0' } = created.metadata;
    const { pods } = this.#options.ports.stores;
    const stored = pods.getByUid(uid);
    if (stored === undefined) return pods.isGone(uid) ? undefined : created;
    return compareResourceVersions(stored.metadata.resourceVersion ?? '0', resourceVersion) < 0 ? created : stored;
  }

  get #isIdle(): boolean {
    return this.#waiting.size + this.#underWay === 0;
  }
}
