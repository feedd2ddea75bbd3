import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { KubernetesClient } from './client.ts';
import { isApiError } from './errors.ts';
import type { ObjectRef, ResourceType } from './resource-types.ts';

/** The object as the apiserver has it now; undefined when there is none. @throws ApiError for everything else. */
export async function findObject<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'get'>,
  type: ResourceType<T>,
  ref: ObjectRef,
  options: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  try {
    return await client.get(type, ref, options);
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}
