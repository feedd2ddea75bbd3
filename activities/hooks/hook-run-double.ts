/** Stands in for the API server of the tests: one HookRun with a resourceVersion, written by compare-and-swap, one pod and one workload. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun, HookRunStatus } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { DeleteOptions, KubernetesClient } from '../../kubernetes/client.ts';
import { ApiError } from '../../kubernetes/errors.ts';
import { hookRuns, type ObjectRef, pods } from '../../kubernetes/resource-types.ts';

export class HookRunDouble {
  run: HookRun | undefined;
  pod: Pod | undefined;
  workload: GameWorkload | undefined;
  readonly writes: HookRunStatus[] = [];
  /** Runs in front of each write, told its number from 1 on. */
  before: (write: number) => void = () => {};

  readonly client = {
    get: async (type: unknown, { name }: ObjectRef) => {
      if (type === hookRuns) return structuredClone(this.#live());
      const object = type === pods ? this.pod : this.workload;
      return structuredClone(found(object?.metadata.name === name ? object : undefined));
    },
    delete: async (_type: unknown, _ref: unknown, { uid }: DeleteOptions) => {
      if (uid !== this.#live().metadata.uid)
        throw new ApiError('another uid', { reason: 'conflict', status: 409, sent: true });
      this.run = undefined;
    },
    replaceStatus: async (_type: unknown, object: HookRun) => {
      this.before(this.writes.length + 1);
      const { resourceVersion, uid } = this.#live().metadata;
      if (resourceVersion !== object.metadata.resourceVersion || uid !== object.metadata.uid)
        throw new ApiError('changed', { reason: 'conflict', status: 409, sent: true });
      this.change((run) => {
        run.status = structuredClone(object.status);
      });
      this.writes.push(object.status as HookRunStatus);
      return structuredClone(this.#live());
    },
  } as unknown as Pick<KubernetesClient, 'get' | 'replaceStatus' | 'delete'>;

  /** What somebody else does to the object. */
  change(edit: (run: HookRun) => void): void {
    const live = this.#live();
    edit(live);
    live.metadata.resourceVersion = String(Number(live.metadata.resourceVersion) + 1);
  }

  #live(): HookRun {
    return found(this.run);
  }
}

function found<T>(object: T | undefined): T {
  if (object === undefined) throw new ApiError('not found', { reason: 'notFound', status: 404, sent: true });
  return object;
}
