/** Stands in for the API server of the tests: one HookRun with a resourceVersion, written by compare-and-swap. */
import type { HookRun, HookRunStatus } from '../../crds/hook-run.ts';
import { ApiError } from '../../kubernetes/errors.ts';
import type { HookRunClient } from './stored-run.ts';

export class HookRunDouble {
  run: HookRun | undefined;
  readonly writes: HookRunStatus[] = [];
  /** Runs in front of each write, told its number from 1 on. */
  before: (write: number) => void = () => {};

  readonly client = {
    get: async () => structuredClone(this.#live()),
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
  } as unknown as HookRunClient;

  /** What somebody else does to the object. */
  change(edit: (run: HookRun) => void): void {
    const live = this.#live();
    edit(live);
    live.metadata.resourceVersion = String(Number(live.metadata.resourceVersion) + 1);
  }

  #live(): HookRun {
    if (this.run === undefined) throw new ApiError('not found', { reason: 'notFound', status: 404, sent: true });
    return this.run;
  }
}
