/** What the rest of the program sees of a store: reading, waiting and listening. Objects are shared and never changed. */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { Unsubscribe } from './listeners.ts';

export type StoreChange<T> =
  | { kind: 'added'; object: T }
  | { kind: 'modified'; object: T; previous: T }
  | { kind: 'deleted'; object: T };

export interface WaitOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

/** What readers see of a store. */
export interface StoreReader<T extends KubernetesObject> {
  readonly size: number;
  get(ref: { namespace?: string; name: string }): T | undefined;
  getByUid(uid: string): T | undefined;
  list(): T[];
  /** @throws Error for an index the store was not made with. */
  byIndex(index: string, key: string): readonly T[];
  indexKeys(index: string): string[];
  /**
   * Highest resourceVersion of an *object* seen, deleted ones included; 0n at first. Never of a list or a bookmark: those
   * run ahead of every object, and a fence made of one would wait on a quiet watch.
   */
  readonly highestResourceVersion: bigint;
  /** Does the store hold everything up to this object version? */
  hasReached(resourceVersion: string | bigint): boolean;
  /** Was this uid seen here and is it gone? False for a uid never seen. */
  isGone(uid: string): boolean;
  /** See WatchHealth: connected, synced, answered lately, nothing overdue. */
  isFresh(): boolean;
  /** How old the store may be at most, in milliseconds; 0 where nothing is known to be missing. */
  behindMs(): number;
  /** When the server last proved to be there; monotonic milliseconds. */
  readonly answersAt: number;
  /** Has the store ever been filled? */
  readonly isSynced: boolean;
  /** Called after each change, in order. Must be quick; a throw is reported, not passed on. */
  onChange(listener: (change: StoreChange<T>) => void): Unsubscribe;
  /** The same for objects that stand, or stood before the change, under one key of an index. */
  subscribe(index: string, key: string, listener: (change: StoreChange<T>) => void): Unsubscribe;
  /** Waits until `holds()` does, asked after each change. False when the time is over. @throws the signal's reason. */
  waitFor(holds: () => boolean, options: WaitOptions): Promise<boolean>;
  /** Waits until `hasReached`. False when the time is over. @throws the signal's reason. */
  whenReached(resourceVersion: string | bigint, options: WaitOptions): Promise<boolean>;
}
