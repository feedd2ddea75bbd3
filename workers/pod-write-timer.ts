/** Times the writes to pods on their way through the client. Changes nothing of them. */
import type { KubernetesObject, Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import type { Patch } from '../kubernetes/patches.ts';
import { type ObjectRef, pods, type ResourceType, type Subresource } from '../kubernetes/resource-types.ts';

export type PodWrite = 'create' | 'update' | 'delete';

export interface PodWriteTimer {
  /** `pod` is the new object of a create, else the name of the one that is written. */
  podWritten(write: PodWrite, pod: Pod | ObjectRef, seconds: number, isDone: boolean): void;
}

/** The same client, its creates, image patches and deletes of pods being timed. */
export function withPodWriteTimer(client: KubernetesClient, timer: PodWriteTimer): KubernetesClient {
  const timed = async <T>(write: PodWrite | undefined, pod: Pod | ObjectRef, call: () => Promise<T>): Promise<T> => {
    if (write === undefined) return await call();
    const startedAt = performance.now();
    const told = (isDone: boolean) => timer.podWritten(write, pod, (performance.now() - startedAt) / 1000, isDone);
    try {
      const answer = await call();
      told(true);
      return answer;
    } catch (error) {
      told(false);
      throw error;
    }
  };
  return {
    get: (type, ref, options) => client.get(type, ref, options),
    list: (type, options) => client.list(type, options),
    readLog: (pod, options) => client.readLog(pod, options),
    watch: (type, options) => client.watch(type, options),
    probe: (timeoutMs, signal) => client.probe(timeoutMs, signal),
    close: () => client.close(),
    replaceStatus: (type, object, options) => client.replaceStatus(type, object, options),
    create: (type, object, options) =>
      timed(writeOf(type, 'create', options), object as unknown as Pod, () => client.create(type, object, options)),
    patch: (type, ref, patch, options) =>
      timed(isImagePatch(patch, options) ? writeOf(type, 'update', options) : undefined, ref, () =>
        client.patch(type, ref, patch, options),
      ),
    delete: (type, ref, options) =>
      timed(writeOf(type, 'delete', options), ref, () => client.delete(type, ref, options)),
  };
}

function writeOf<T extends KubernetesObject>(
  type: ResourceType<T>,
  write: PodWrite,
  options: { dryRun?: boolean } = {},
): PodWrite | undefined {
  return type.plural === pods.plural && options.dryRun !== true ? write : undefined;
}

/** Marks and gates are bookkeeping; what changes the spec is the update. */
const isImagePatch = (patch: Patch, options: { subresource?: Subresource } = {}): boolean =>
  options.subresource === undefined && patch.kind !== 'json' && 'spec' in patch.body;
