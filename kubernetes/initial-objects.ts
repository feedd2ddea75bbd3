/** Collects the first objects of a watch-list beside the store, which is filled in one step when they are complete. */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { ObjectStore } from './store.ts';
import type { WatchEvent } from './watch-stream.ts';

export class InitialObjects<T extends KubernetesObject> {
  readonly #store: ObjectStore<T>;
  readonly #byUid = new Map<string, T>();

  constructor(store: ObjectStore<T>) {
    this.#store = store;
  }

  /** True once the event completed the collection and the store holds it. */
  take(event: WatchEvent<T>): boolean {
    switch (event.type) {
      case 'BOOKMARK':
        if (!event.initialEnd) return false;
        this.#store.replace(this.#byUid.values(), event.resourceVersion);
        return true;
      case 'DELETED':
        this.#byUid.delete(event.object.metadata.uid ?? '');
        return false;
      case 'ADDED':
      case 'MODIFIED':
        this.#byUid.set(event.object.metadata.uid ?? '', this.#store.trimmed(event.object));
        return false;
    }
  }
}
