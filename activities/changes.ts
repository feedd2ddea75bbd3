/**
 * Tells a parked observation that something about its workload changed in the process-wide stores. Merges changes: it
 * says that, never what.
 */

import { isConcernedBy } from '../core/adoption.ts';
import { isClaimOf } from '../core/claims.ts';
import { isGameStatefulSet } from '../core/kinds.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Node } from '../crds/kubernetes.ts';
import type { StoreChange } from '../kubernetes/store-reader.ts';
import { workloadStoreOf } from './kinds.ts';
import { CONTROLLER_INDEX, NAMESPACE_INDEX, ORPHAN_INDEX, type Stores } from './ports.ts';
import { isNodeReady } from './sources.ts';

export class Changes {
  readonly #unsubscribes: (() => void)[];
  readonly #nowMs: () => number;
  /** True at first: what changed between the read and the subscription was not heard. */
  #isDirty = true;
  #wake: (() => void) | undefined;
  /** Of the workload, its pods or their hooks; epoch milliseconds. */
  changedAtMs: number;

  constructor(stores: Stores, workload: GameWorkload, nowMs: () => number) {
    const { uid = '', namespace = '' } = workload.metadata;
    const ring = () => this.#ring();
    this.#nowMs = nowMs;
    this.changedAtMs = nowMs();
    this.#unsubscribes = [
      workloadStoreOf(stores, workload.kind).onChange(({ object }) => object.metadata.uid === uid && ring()),
      stores.pods.subscribe(CONTROLLER_INDEX, uid, ring),
      stores.pods.subscribe(ORPHAN_INDEX, namespace, ({ object }) => isConcernedBy(workload, object) && ring()),
      stores.controllerRevisions.subscribe(CONTROLLER_INDEX, uid, ring),
      stores.hookRuns.subscribe(CONTROLLER_INDEX, uid, ring),
      stores.hookTemplates.subscribe(NAMESPACE_INDEX, namespace, ring),
      this.#followClaims(stores, workload),
      // A node's readiness decides whether its pods may be touched; the rest of its heartbeats does not matter.
      stores.nodes.onChange((change) => isReadinessChange(change) && this.#stir()),
    ];
  }

  /** Resolves after a change, at once if there was one since the last call, or when the time is over. */
  next(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#wake = undefined;
        this.#isDirty = false;
        end();
      };
      const onAbort = () => finish(() => reject(signal.reason));
      const timer = setTimeout(() => finish(resolve), Math.max(0, timeoutMs));
      this.#wake = () => finish(resolve);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else if (this.#isDirty) this.#wake();
    });
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
  }

  #followClaims({ persistentVolumeClaims }: Stores, workload: GameWorkload): () => void {
    if (!isGameStatefulSet(workload)) return () => undefined;
    const { namespace = '' } = workload.metadata;
    return persistentVolumeClaims.subscribe(NAMESPACE_INDEX, namespace, ({ object: { metadata } }) => {
      if (isClaimOf(workload, metadata.name)) this.#ring();
    });
  }

  #ring(): void {
    this.changedAtMs = this.#nowMs();
    this.#stir();
  }

  #stir(): void {
    this.#isDirty = true;
    this.#wake?.();
  }
}

function isReadinessChange(change: StoreChange<Node>): boolean {
  return change.kind !== 'modified' || isNodeReady(change.previous) !== isNodeReady(change.object);
}
