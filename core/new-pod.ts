/**
 * The pod that is posted for one revision of a workload. Copies the revision's template as it is and adds what
 * makes the pod ours; decides neither names nor revisions.
 */
import { API_VERSION } from '../crds/api.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ObjectMeta, OwnerReference, Pod, PodSpec } from '../crds/kubernetes.ts';
import { INSTANCE_ID_LABEL, READINESS_GATE, REVISION_LABEL } from './keys.ts';
import { isGameStatefulSet } from './kinds.ts';
import type { Revision } from './plan/types.ts';
import { identityLabels, withIdentity } from './set-identity.ts';

interface PodMeta extends ObjectMeta {
  finalizers?: string[];
}

/** The part of a GameDeployment pod's name after its last dash is the instance id. */
const labelsOf = (workload: GameWorkload, name: string): Record<string, string> =>
  isGameStatefulSet(workload)
    ? identityLabels(workload, name)
    : { [INSTANCE_ID_LABEL]: name.slice(name.lastIndexOf('-') + 1) };

/** The pod `name` of `workload` at `revision`. */
export function newPod(workload: GameWorkload, revision: Revision, name: string): Pod {
  const { template } = revision;
  const metadata: PodMeta = {
    name,
    namespace: workload.metadata.namespace,
    labels: {
      ...template.metadata?.labels,
      [REVISION_LABEL]: revision.name,
      ...labelsOf(workload, name),
    },
    annotations: { ...template.metadata?.annotations },
    ownerReferences: [ownerReference(workload)],
  };
  const finalizers = template.metadata?.finalizers;
  if (Array.isArray(finalizers)) metadata.finalizers = finalizers.filter((item) => typeof item === 'string');
  const spec = withReadinessGate(workload, structuredClone(template.spec));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: isGameStatefulSet(workload) ? withIdentity(workload, name, spec) : spec,
  };
}

/** What says that a pod is controlled by this workload. */
export function ownerReference({ kind, metadata }: GameWorkload): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Decision 30: `disableReadinessGate` leaves our gate out; one that the user wrote stays. */
function withReadinessGate(workload: GameWorkload, spec: PodSpec): PodSpec {
  const gates = spec.readinessGates ?? [];
  const isThere = gates.some((gate) => gate.conditionType === READINESS_GATE);
  if (workload.spec.disableReadinessGate === true || isThere) return spec;
  return { ...spec, readinessGates: [...gates, { conditionType: READINESS_GATE }] };
}
