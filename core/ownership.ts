/** Who controls an object: at most one of its owners does. Pure. */
import type { KubernetesObject, OwnerReference } from '../crds/kubernetes.ts';

export const controllerOf = ({ metadata }: Pick<KubernetesObject, 'metadata'>): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

export const hasController = (object: KubernetesObject): boolean => controllerOf(object) !== undefined;

export const isControlledBy = (object: KubernetesObject, uid: string | undefined): boolean =>
  uid !== undefined && controllerOf(object)?.uid === uid;
