/**
 * Delete protection (decision 4, game-workloads §1.6): policies by which the API server itself refuses deletes that the
 * label does not allow. Nothing of it is installed unless asked for. deploy/delete-protection.yaml is made of this.
 */
import { API_GROUP, API_VERSION_NAME, GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_TEMPLATE } from '../crds/api.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';

/** `Always`, or for workloads `Cascading`: only when scaled to 0. Absent or anything else protects. */
const DELETION_ALLOW_LABEL = 'io.tencent.bcs.dev/deletion-allow';
const POLICY_API = 'admissionregistration.k8s.io/v1';

/** What one policy guards. Expressions are CEL: `oldObject` is what would be deleted, `variables.allow` its label. */
interface Protection {
  name: string;
  rule: { apiGroups: string[]; apiVersions: string[]; resources: string[] };
  /** Absent: every object of the rule. */
  onlyIf?: { name: string; expression: string };
  /** Each must hold, else its sentence is the refusal; it begins with kind and name of the object. */
  checks: { isGood: string; sentence: string }[];
}

const ours = (...resources: string[]) => ({ apiGroups: [API_GROUP], apiVersions: [API_VERSION_NAME], resources });

const IS_ALWAYS = 'variables.allow == "Always"';
/** A namespace that is deleted takes the pods along whatever is refused; its objects would only keep it from ending. */
const IS_NAMESPACE_ENDING = 'has(namespaceObject.metadata.deletionTimestamp)';
const IS_WORKLOAD_KIND = `oldObject.spec.names.kind in ["${GAME_DEPLOYMENT.kind}", "${GAME_STATEFUL_SET.kind}"]`;
const SET_LABEL = `" is protected against deletion: set its label ${DELETION_ALLOW_LABEL} to Always`;

const PROTECTIONS: readonly Protection[] = [
  {
    name: 'holdfast-delete-protection-workloads',
    rule: ours(GAME_DEPLOYMENT.plural, GAME_STATEFUL_SET.plural),
    checks: [
      {
        isGood: `variables.allow in ["Always", "Cascading"] || ${IS_NAMESPACE_ENDING}`,
        sentence: `${SET_LABEL}, or to Cascading and scale it to 0."`,
      },
      {
        isGood: `variables.allow != "Cascading" || oldObject.spec.replicas == 0 || ${IS_NAMESPACE_ENDING}`,
        sentence: `" is deleted only when it is scaled to 0, because its label ${DELETION_ALLOW_LABEL} is Cascading; spec.replicas is " + string(oldObject.spec.replicas) + "."`,
      },
    ],
  },
  {
    name: 'holdfast-delete-protection-hook-templates',
    rule: ours(HOOK_TEMPLATE.plural),
    checks: [{ isGood: `${IS_ALWAYS} || ${IS_NAMESPACE_ENDING}`, sentence: `${SET_LABEL}."` }],
  },
  {
    name: 'holdfast-delete-protection-crds',
    rule: { apiGroups: ['apiextensions.k8s.io'], apiVersions: ['v1'], resources: ['customresourcedefinitions'] },
    // By content: the request that deletes a whole collection carries no name.
    onlyIf: { name: 'workloads', expression: `oldObject.spec.group == "${API_GROUP}" && ${IS_WORKLOAD_KIND}` },
    // A policy cannot see whether objects of the kind are left, so Cascading has no safe meaning here.
    checks: [{ isGood: IS_ALWAYS, sentence: `${SET_LABEL}. All objects of its kind are deleted with it."` }],
  },
];

/** The policies and what puts them in force, for `kubectl apply` as they are. Needs Kubernetes 1.30. */
export const deleteProtectionObjects = (): KubernetesObject[] => PROTECTIONS.flatMap(toObjects);

function toObjects({ name, rule, onlyIf, checks }: Protection): KubernetesObject[] {
  const object = (kind: string, spec: object) => ({ apiVersion: POLICY_API, kind, metadata: { name }, spec });
  return [
    object('ValidatingAdmissionPolicy', {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      ...(onlyIf === undefined ? {} : { matchConditions: [onlyIf] }),
      variables: [
        { name: 'subject', expression: 'request.kind.kind + " " + oldObject.metadata.name' },
        { name: 'labels', expression: 'has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}' },
        { name: 'allow', expression: `variables.labels[?"${DELETION_ALLOW_LABEL}"].orValue("")` },
      ],
      validations: checks.map(({ isGood, sentence }) => ({
        expression: isGood,
        messageExpression: `variables.subject + ${sentence}`,
        reason: 'Forbidden',
      })),
    }),
    object('ValidatingAdmissionPolicyBinding', { policyName: name, validationActions: ['Deny'] }),
  ];
}
