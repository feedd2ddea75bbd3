/** Times writes on their way through the client. Changes nothing of them, and does not know what they are counted for. */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { DeleteOptions, KubernetesClient, WriteOptions } from '../kubernetes/client.ts';
import type { Patch } from '../kubernetes/patches.ts';
import type { ObjectRef, Subresource } from '../kubernetes/resource-types.ts';

/** One write that was answered, or failed. Dry runs are none. */
export type TimedWrite = { plural: string; seconds: number; isDone: boolean } & (
  | { verb: 'create'; object: KubernetesObject }
  | { verb: 'replaceStatus'; object: KubernetesObject }
  | { verb: 'patch'; ref: ObjectRef; patch: Patch; subresource?: Subresource }
  | { verb: 'delete'; ref: ObjectRef; options: DeleteOptions }
);

type Told = TimedWrite extends infer W ? (W extends TimedWrite ? Omit<W, 'seconds' | 'isDone'> : never) : never;

/** The same client, its writes being told to everyone who listens. */
export function withWriteTimer(client: KubernetesClient, listeners: ((write: TimedWrite) => void)[]): KubernetesClient {
  const tell = (write: TimedWrite) => {
    for (const listener of listeners) listener(write);
  };
  const timed = async <T>(what: Told, options: { dryRun?: boolean } = {}, call: () => Promise<T>): Promise<T> => {
    if (options.dryRun === true) return await call();
    const startedAt = performance.now();
    const ended = (isDone: boolean) => tell({ ...what, seconds: (performance.now() - startedAt) / 1000, isDone });
    try {
      const answer = await call();
      ended(true);
      return answer;
    } catch (error) {
      ended(false);
      throw error;
    }
  };
  return {
    get: (type, ref, options) => client.get(type, ref, options),
    list: (type, options) => client.list(type, options),
    latestVersion: (type, options) => client.latestVersion(type, options),
    readLog: (pod, options) => client.readLog(pod, options),
    watch: (type, options) => client.watch(type, options),
    probe: (timeoutMs, signal) => client.probe(timeoutMs, signal),
    close: () => client.close(),
    replaceStatus: (type, object, options) =>
      timed({ verb: 'replaceStatus', plural: type.plural, object }, options, () =>
        client.replaceStatus(type, object, options),
      ),
    create: (type, object, options) =>
      timed({ verb: 'create', plural: type.plural, object }, options, () => client.create(type, object, options)),
    patch: (type, ref, patch, options: WriteOptions & { subresource?: Subresource } = {}) =>
      timed({ verb: 'patch', plural: type.plural, ref, patch, subresource: options.subresource }, options, () =>
        client.patch(type, ref, patch, options),
      ),
    delete: (type, ref, options = {}) =>
      timed({ verb: 'delete', plural: type.plural, ref, options }, options, () => client.delete(type, ref, options)),
  };
}
