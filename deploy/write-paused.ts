/**
 * What the controller may do beside deploy/rbac.ts where it is to write pauses into specs (decision 9). Nothing of it is installed
 * unless asked for. deploy/write-paused.yaml is made of this.
 */
import { API_GROUP } from '../crds/api.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { boundRole, WORKLOADS } from './rbac.ts';

/** RBAC knows no smaller right than to patch the whole object; the code writes nothing but `paused` and its mark. */
export const writePausedObjects = (): KubernetesObject[] =>
  boundRole('holdfast-write-paused', [{ apiGroups: [API_GROUP], resources: [...WORKLOADS], verbs: ['patch'] }]);
