/**
 * The pod that is posted for one revision of a GameDeployment. Copies the revision's template as it is and adds what
 * makes the pod ours; decides neither names nor revisions.
 */
import { API_VERSION, GAME_DEPLOYMENT } from '../crds/api.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { ObjectMeta, OwnerReference, Pod, PodSpec } from '../crds/kubernetes.ts';
import { INSTANCE_ID_LABEL, READINESS_GATE, REVISION_LABEL } from './keys.ts';
import type { Revision } from './plan/types.ts';

interface PodMeta extends ObjectMeta {
  finalizers?: string[];
}

/** The pod `name` of `workload` at `revision`; the part of the name after its last dash is the instance id. */
export function newPod(workload: GameDeployment, revision: Revision, name: string): Pod {
  const { template } = revision;
  const metadata: PodMeta = {
    name,
    namespace: workload.metadata.namespace,
    labels: {
      ...template.metadata?.labels,
      [REVISION_LABEL]: revision.name,
      [INSTANCE_ID_LABEL]: name.slice(name.lastIndexOf('-') + 1),
    },
    annotations: { ...template.metadata?.annotations },
    ownerReferences: [ownerReference(workload)],
  };
  const finalizers = template.metadata?.finalizers;
  if (Array.isArray(finalizers)) metadata.finalizers = finalizers.filter((item) => typeof item === 'string');
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: withReadinessGate(workload, structuredClone(template.spec)) };
}

function ownerReference({ metadata }: GameDeployment): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind: GAME_DEPLOYMENT.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Decision 30: `disableReadinessGate` leaves our gate out; one that the user wrote stays. */
function withReadinessGate(workload: GameDeployment, spec: PodSpec): PodSpec {
  const gates = spec.readinessGates ?? [];
  const isThere = gates.some((gate) => gate.conditionType === READINESS_GATE);
  if (workload.spec.disableReadinessGate === true || isThere) return spec;
  return { ...spec, readinessGates: [...gates, { conditionType: READINESS_GATE }] };
}
