/**
 * Keeps one store in step with the apiserver for as long as it runs: fills it, follows the watch, fills it anew when
 * history is gone, and never gives up. Owns connections and resume points; what objects mean is not its business.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';
import type { KubernetesClient, Selection } from './client.ts';
import { pause } from './deadline.ts';
import { ApiError, isApiError } from './errors.ts';
import { InitialObjects } from './initial-objects.ts';
import type { ResourceType } from './resource-types.ts';
import { compareResourceVersions } from './resource-versions.ts';
import type { Beat, ServerPulse } from './server-pulse.ts';
import type { ObjectStore } from './store.ts';
import { UNANSWERED_AFTER_MS } from './watch-health.ts';
import type { WatchEvent } from './watch-stream.ts';

/**
 * A selection makes objects that stop matching look deleted; stores whose `isGone` matters are best left without one.
 */
export interface ReflectorOptions<T extends KubernetesObject> extends Selection {
  client: Pick<KubernetesClient, 'list' | 'watch' | 'latestVersion'>;
  type: ResourceType<T>;
  store: ObjectStore<T>;
  pulse: ServerPulse;
  /** Told of every failure; the reflector goes on by itself. */
  onProblem?: (problem: ApiError) => void;
  backoff?: BackoffOptions;
  /** After this long the server ends a stream in peace; 5 to 10 minutes, by chance, when absent. */
  streamSeconds?: number;
  /** `list`: never ask for a watch-list. Chosen by itself where the server does not know it. */
  start?: 'watch-list' | 'list';
}

export interface Reflector {
  /** Ends the watch and waits until nothing of it runs any more. The store keeps what it has and is not fresh. */
  stop(): Promise<void>;
}

const BACKOFF: BackoffOptions = { firstMs: 250, maxMs: 5_000 };
/** A stream that lived this long was healthy: the next failure starts with the shortest pause. */
const STABLE_AFTER_MS = 30_000;
/** A stream that the server ends sooner counts as a failure, or an odd server would be asked without pause. */
const TOO_SHORT_MS = 1_000;
/**
 * A server accepts any resume point with 200 and says only then, as an event, that its history is gone: a resumed
 * stream is believed after it has been open for this long.
 */
const SETTLE_MS = 300;
/** A server that was asked for a watch-list and says nothing for this long does not know it. */
const WATCH_LIST_SILENCE_MS = 15_000;

export function startReflector<T extends KubernetesObject>(options: ReflectorOptions<T>): Reflector {
  const loop = new ReflectorLoop(options);
  const done = loop.run();
  return {
    stop: () => {
      loop.stop();
      return done;
    },
  };
}

interface Stream<T extends KubernetesObject> {
  abort: AbortController;
  lastBytesAt: number;
  /** Present until the first objects are complete. */
  initial: InitialObjects<T> | undefined;
  /** Runs until a resumed stream is believed. */
  settling: NodeJS.Timeout | undefined;
  /** Why it was cut, where the reflector did it. */
  distrust: string | undefined;
}

class ReflectorLoop<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #store: ObjectStore<T>;
  readonly #stopped = new AbortController();
  readonly #backoff: Backoff;
  #start: 'watch-list' | 'list';
  /** Where the next watch goes on; undefined: everything must be read first. */
  #resumeFrom: string | undefined;
  #stream: Stream<T> | undefined;
  /** When a stream was last found to withhold something. */
  #distrustedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#store = options.store;
    this.#start = options.start ?? 'watch-list';
    this.#backoff = new Backoff(options.backoff ?? BACKOFF);
  }

  stop(): void {
    this.#stopped.abort();
    this.#stream?.abort.abort();
  }

  async run(): Promise<void> {
    const unlisten = this.#options.pulse.listen((beat) => this.#onBeat(beat));
    try {
      while (!this.#stopped.signal.aborted) {
        const startedAt = performance.now();
        const problem = await this.#follow();
        if (this.#stopped.signal.aborted) return;
        await this.#rest(performance.now() - startedAt, problem);
      }
    } finally {
      unlisten();
    }
  }

  /** One stream from its opening to its end; returns what ended it, undefined when the server did so in peace. */
  async #follow(): Promise<ApiError | undefined> {
    try {
      await this.#checkHistory();
      if (this.#resumeFrom === undefined && this.#start === 'list') await this.#readList();
      if (!this.#stopped.signal.aborted) await this.#readStream();
      return undefined;
    } catch (error) {
      return this.#judge(error);
    } finally {
      clearTimeout(this.#stream?.settling);
      this.#stream = undefined;
      this.#store.health.disconnected();
    }
  }

  /**
   * A server takes a resume point that is ahead of all it has, and says nothing until it gets there: so it is when etcd was put back
   * to a state of before. Then everything is read anew.
   */
  async #checkHistory(): Promise<void> {
    if (this.#resumeFrom === undefined) return;
    const { client, type, namespace } = this.#options;
    const latest = await client.latestVersion(type, { namespace, signal: this.#stopped.signal });
    if (compareResourceVersions(latest, this.#resumeFrom) < 0) this.#resumeFrom = undefined;
  }

  async #readList(): Promise<void> {
    const { client, type, store } = this.#options;
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const signal = this.#stopped.signal;
    store.readingBegins();
    const list = await client.list(type, { namespace, labelSelector, fieldSelector, signal });
    store.replace(list.items, list.resourceVersion);
    this.#resumeFrom = list.resourceVersion;
  }

  async #readStream(): Promise<void> {
    const { client, type, namespace, labelSelector, fieldSelector } = this.#options;
    const initial = this.#resumeFrom === undefined ? new InitialObjects<T>(this.#store) : undefined;
    if (initial !== undefined) this.#store.readingBegins();
    const abort = new AbortController();
    const lastBytesAt = performance.now();
    const stream: Stream<T> = { abort, lastBytesAt, initial, settling: undefined, distrust: undefined };
    this.#stream = stream;
    const events = client.watch(type, {
      namespace,
      labelSelector,
      fieldSelector,
      signal: stream.abort.signal,
      resourceVersion: this.#resumeFrom,
      sendInitialEvents: initial !== undefined,
      timeoutSeconds: this.#options.streamSeconds ?? Math.round(300 + 300 * Math.random()),
      onBytes: () => this.#onBytes(),
    });
    for await (const event of events) this.#take(event);
  }

  #onBytes(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.lastBytesAt = performance.now();
    this.#store.health.answered();
    // While the first objects come in, the store still holds the past.
    if (stream.initial !== undefined || this.#store.health.isConnected) return;
    stream.settling ??= setTimeout(() => this.#settled(stream), SETTLE_MS);
  }

  /** Once more around the event loop, so that what has arrived is read before it counts. */
  #settled(stream: Stream<T>): void {
    setImmediate(() => {
      if (this.#stream === stream && !this.#store.health.isConnected) this.#connected();
    });
  }

  #connected(): void {
    this.#store.health.connected();
    if (this.#resumeFrom !== undefined) this.#store.bookmark(this.#resumeFrom);
  }

  #take(event: WatchEvent<T>): void {
    const stream = this.#stream;
    if (stream?.initial !== undefined) {
      if (!stream.initial.take(event)) return;
      stream.initial = undefined;
      this.#resumeFrom = event.type === 'BOOKMARK' ? event.resourceVersion : undefined;
      this.#connected();
      return;
    }
    if (event.type === 'BOOKMARK') {
      this.#store.bookmark(event.resourceVersion);
      this.#resumeFrom = event.resourceVersion;
    } else {
      this.#store.apply(event.type, event.object);
      this.#resumeFrom = event.object.metadata.resourceVersion;
    }
  }

  /** Ends a stream that is not to be believed any more; the loop opens another one. */
  #onBeat(beat: Beat): void {
    const { health } = this.#store;
    const stream = this.#stream;
    if (stream === undefined) return;
    if (beat.answeredAt !== undefined) health.answered(beat.answeredAt);
    const silentMs = performance.now() - stream.lastBytesAt;
    if (stream.initial !== undefined && silentMs > WATCH_LIST_SILENCE_MS) {
      this.#start = 'list';
      cut(stream, 'the watch-list brought nothing');
    } else if (health.isConnected && health.silentMs() > UNANSWERED_AFTER_MS) {
      cut(stream, 'the server of the watch went silent');
    } else if (health.isConnected && health.isOverdue()) {
      this.#distrustHistory();
      cut(stream, 'the watch withholds a change that is known to have happened');
    }
  }

  /**
   * A stream that goes on where it was and withholds again, soon after, is not the server's: no stream may ever bring the version that is
   * awaited (after etcd was put back), and a new reading has come further than it.
   */
  #distrustHistory(): void {
    const isAgain = performance.now() - this.#distrustedAt < STABLE_AFTER_MS;
    this.#distrustedAt = isAgain ? Number.NEGATIVE_INFINITY : performance.now();
    if (isAgain) this.#resumeFrom = undefined;
  }

  #judge(error: unknown): ApiError {
    const problem = problemOf(error, this.#stream?.distrust);
    if (isApiError(problem, 'gone', 'expired')) this.#resumeFrom = undefined;
    // A server that does not know watch-lists refuses the parameter.
    else if (this.#resumeFrom === undefined && isApiError(problem, 'invalid', 'badRequest')) this.#start = 'list';
    return problem;
  }

  async #rest(livedMs: number, problem: ApiError | undefined): Promise<void> {
    if (livedMs >= STABLE_AFTER_MS) this.#backoff.reset();
    if (problem !== undefined) this.#tell(problem);
    else if (livedMs >= TOO_SHORT_MS) return;
    await pause(Math.max(this.#backoff.next(), problem?.retryAfterMs ?? 0), this.#stopped.signal);
  }
  #tell(problem: ApiError): void {
    try {
      this.#options.onProblem?.(problem);
    } catch {
      // A listener that fails must not end the watch.
    }
  }
}

function cut<T extends KubernetesObject>(stream: Stream<T>, why: string): void {
  stream.distrust = why;
  stream.abort.abort();
}

function problemOf(error: unknown, distrust: string | undefined): ApiError {
  if (distrust !== undefined) return new ApiError(distrust, { reason: 'timeout', sent: true });
  if (isApiError(error)) return error;
  return new ApiError('an event of a watch could not be used', { reason: 'other', sent: true, cause: error });
}
