/**
 * The objects of one resource as this process knows them, kept current by a reflector. Owns indexes, the fence
 * (highest object resourceVersion seen) and notification. Objects in it are shared: nobody may change them.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { AwaitedVersions } from './awaited-versions.ts';
import { Listeners, type Unsubscribe } from './listeners.ts';
import { ObjectIndex } from './object-index.ts';
import { parseResourceVersion } from './resource-versions.ts';
import type { StoreChange, StoreReader, WaitOptions } from './store-reader.ts';
import { Tombstones } from './tombstones.ts';
import { WatchHealth } from './watch-health.ts';

export interface StoreOptions<T extends KubernetesObject> {
  /** Named indexes: each gives the keys under which an object is found. */
  indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  /** Drops more than managedFields and the last-applied annotation before an object is kept; may change it in place. */
  trim?: (object: T) => T;
  /** Told of listeners that throw. */
  onError?: (error: unknown) => void;
  health?: WatchHealth;
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const EVERYTHING = '';

export class ObjectStore<T extends KubernetesObject> implements StoreReader<T> {
  readonly health: WatchHealth;
  readonly #objects = new Map<string, T>();
  readonly #byUid = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;
  readonly #tombstones = new Tombstones();
  readonly #listeners: Listeners<StoreChange<T>>;
  /** Waiters are asked after changes and after bookmarks, which change nothing but what has been reached. */
  readonly #progress: Listeners<undefined>;
  readonly #trim: ((object: T) => T) | undefined;
  #highest = 0n;
  /** Of lists and bookmarks: what they cover has been seen, though no object bears this version. */
  #covered = 0n;
  readonly #awaited = new AwaitedVersions();
  #readingSinceMs = Number.NEGATIVE_INFINITY;
  #isSynced = false;

  constructor(options: StoreOptions<T> = {}) {
    const onError = options.onError ?? (() => undefined);
    this.#indexes = new Map(Object.entries(options.indexes ?? {}).map(([name, f]) => [name, new ObjectIndex(f)]));
    this.#trim = options.trim;
    this.#listeners = new Listeners(onError);
    this.#progress = new Listeners(onError);
    this.health = options.health ?? new WatchHealth();
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: { namespace?: string; name: string }): T | undefined {
    return this.#objects.get(keyOf(ref));
  }

  getByUid(uid: string): T | undefined {
    return this.#byUid.get(uid);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: string, key: string): readonly T[] {
    return this.#index(index).get(key);
  }

  indexKeys(index: string): string[] {
    return [...this.#index(index).keys()];
  }

  get highestResourceVersion(): bigint {
    return this.#highest;
  }

  hasReached(resourceVersion: string | bigint): boolean {
    const wanted = toBigInt(resourceVersion);
    return this.#isSynced && (wanted <= this.#highest || wanted <= this.#covered);
  }

  isGone(uid: string): boolean {
    return this.#tombstones.has(uid) && !this.#byUid.has(uid);
  }

  isFresh(): boolean {
    return this.health.isFresh();
  }

  behindMs(): number {
    return this.health.behindMs();
  }

  get answersAt(): number {
    return this.health.answersAt;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  onChange(listener: (change: StoreChange<T>) => void): Unsubscribe {
    return this.#listeners.add(EVERYTHING, listener);
  }

  subscribe(index: string, key: string, listener: (change: StoreChange<T>) => void): Unsubscribe {
    this.#index(index);
    return this.#listeners.add(topicOf(index, key), listener);
  }

  waitFor(holds: () => boolean, options: WaitOptions): Promise<boolean> {
    const { signal, timeoutMs } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      const onAbort = () => settle(() => reject(signal?.reason));
      const unsubscribe = this.#progress.add(EVERYTHING, () => {
        if (holds()) settle(() => resolve(true));
      });
      const timer = setTimeout(() => settle(() => resolve(holds())), timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  whenReached(resourceVersion: string | bigint, options: WaitOptions): Promise<boolean> {
    const wanted = toBigInt(resourceVersion);
    this.#awaited.add(wanted, this.health.nowMs());
    this.#noteOverdue();
    return this.waitFor(() => this.hasReached(wanted), options);
  }

  /** Reflector only: one event of the watch. An older version of what is known is ignored. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const version = this.#see(object);
    const known = this.#objects.get(keyOf(object.metadata));
    if (type === 'DELETED') this.#tombstones.add(object.metadata.uid);
    const isStale = known !== undefined && version < versionOf(known);
    if (!isStale) this.#change(type === 'DELETED' ? undefined : this.trimmed(object), known, object);
    this.#advance();
  }

  /** Reflector only: all is asked for now. What was awaited before, and is later than the answer then, never comes. */
  readingBegins(): void {
    this.#readingSinceMs = this.health.nowMs();
  }

  /** Reflector only: all objects there are, as of the list's version; what is missing was deleted unseen. */
  replace(objects: Iterable<T>, listVersion: string): void {
    const covered = parseResourceVersion(listVersion);
    // Versions that went back mean that the cluster's history was replaced (a restored etcd): old fences are void.
    if (covered < this.#highest) this.#highest = 0n;
    const gone = new Map(this.#objects);
    for (const object of objects) {
      this.#see(object);
      const key = keyOf(object.metadata);
      const known = gone.get(key);
      gone.delete(key);
      if (known === undefined || !isSameVersion(known, object)) this.#change(this.trimmed(object), known, object);
    }
    for (const object of gone.values()) this.#change(undefined, object, object);
    this.#covered = covered;
    this.#awaited.forgetBefore(this.#readingSinceMs);
    this.#isSynced = true;
    this.health.synced();
    this.#advance();
  }

  /** Reflector only: everything up to this version has been seen. */
  bookmark(resourceVersion: string): void {
    const covered = parseResourceVersion(resourceVersion);
    if (covered > this.#covered) this.#covered = covered;
    this.#advance();
  }

  /** Drops what no reader needs, in place. Doing it twice changes nothing. */
  trimmed(object: T): T {
    const metadata: T['metadata'] & { managedFields?: unknown } = object.metadata;
    delete metadata.managedFields;
    if (metadata.annotations !== undefined) delete metadata.annotations[LAST_APPLIED];
    return this.#trim === undefined ? object : this.#trim(object);
  }

  #change(next: T | undefined, known: T | undefined, seen: T): void {
    const isSame = known !== undefined && known.metadata.uid === seen.metadata.uid;
    if (known !== undefined && (next === undefined || !isSame)) this.#remove(known, isSame ? seen : known);
    if (next === undefined) return;
    if (known !== undefined && isSame) this.#update(known, next);
    else this.#insert(next);
  }

  #insert(object: T): void {
    this.#put(object);
    this.#notify({ kind: 'added', object }, object);
  }

  #update(previous: T, object: T): void {
    for (const index of this.#indexes.values()) index.remove(previous);
    this.#put(object);
    this.#notify({ kind: 'modified', object, previous }, object, previous);
  }

  /** `last` is the object as it was when it went. */
  #remove(known: T, last: T): void {
    this.#objects.delete(keyOf(known.metadata));
    if (known.metadata.uid !== undefined) this.#byUid.delete(known.metadata.uid);
    for (const index of this.#indexes.values()) index.remove(known);
    this.#tombstones.add(known.metadata.uid);
    this.#notify({ kind: 'deleted', object: last }, known);
  }

  #put(object: T): void {
    this.#objects.set(keyOf(object.metadata), object);
    if (object.metadata.uid !== undefined) this.#byUid.set(object.metadata.uid, object);
    for (const index of this.#indexes.values()) index.add(object);
  }

  #notify(change: StoreChange<T>, ...concerned: T[]): void {
    this.#listeners.emit(EVERYTHING, change);
    for (const [name, index] of this.#indexes) {
      const keys = new Set(concerned.flatMap((object) => index.keysOf(object)));
      for (const key of keys) this.#listeners.emit(topicOf(name, key), change);
    }
  }

  #see(object: T): bigint {
    const version = versionOf(object);
    if (version > this.#highest) this.#highest = version;
    return version;
  }

  #advance(): void {
    this.#noteOverdue();
    this.#progress.emit(EVERYTHING, undefined);
  }

  #noteOverdue(): void {
    this.health.missing(this.#awaited.missingSince((version) => this.hasReached(version)));
  }

  #index(name: string): ObjectIndex<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`the store has no index "${name}"`);
    return index;
  }
}

/** `namespace/name`, or the name alone for cluster-wide objects. */
function keyOf(ref: { namespace?: string; name: string }): string {
  return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
}

function versionOf(object: KubernetesObject): bigint {
  return parseResourceVersion(object.metadata.resourceVersion ?? '0');
}

function isSameVersion(left: KubernetesObject, right: KubernetesObject): boolean {
  const { uid, resourceVersion } = left.metadata;
  return uid === right.metadata.uid && resourceVersion === right.metadata.resourceVersion;
}

function toBigInt(resourceVersion: string | bigint): bigint {
  return typeof resourceVersion === 'bigint' ? resourceVersion : parseResourceVersion(resourceVersion);
}

/** A space cannot stand in an index's name, so topics never collide with each other or with everything. */
function topicOf(index: string, key: string): string {
  return `${index} ${key}`;
}
