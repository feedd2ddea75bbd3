/** Makes the HookRun that a template, its arguments and a purpose ask for. Plain data to be created; nothing is created here. */

import { API_VERSION, HOOK_RUN } from '../../crds/api.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookStep } from '../../crds/hook-step.ts';
import type { HookArgument, HookTemplate } from '../../crds/hook-template.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import {
  ATTEMPT_LABEL,
  CANARY_STEP_LABEL,
  HOOK_RUN_TYPE_LABEL,
  INSTANCE_LABEL,
  POD_UID_LABEL,
  WORKLOAD_REVISION_LABEL,
} from '../keys.ts';
import { describeUnresolved, type GivenArgument, isBuiltInArgument, resolveArguments } from './arguments.ts';
import { canaryRunName, type GateType, gateRunName } from './names.ts';

/** Names of arguments that the template does not declare, comma separated: the run says so in its message (decision 35). */
export const DROPPED_ARGUMENTS_ANNOTATION = 'holdfast.dev/dropped-arguments';

/** Values of the label `hookrun-type`. */
export type HookRunType = 'canary-step' | 'pre-delete-step' | 'pre-inplace-step' | 'post-inplace-step';

/** What a run is for: it decides its name and labels. */
export type HookRunPurpose =
  | { type: 'canary'; revision: string; stepIndex: number; attempt: number }
  | { type: 'gate'; gate: GateType; podRevision: string; instanceId: string; podUid: string; attempt: number | string };

export interface HookRunOrder {
  template: HookTemplate;
  /** The hook step or gate of the workload's spec. */
  step: HookStep;
  /** The workload: it becomes the controller, so that its runs are collected with it. */
  owner: KubernetesObject & { metadata: { uid?: string } };
  purpose: HookRunPurpose;
  /** Facts of the pod, by `podArguments`; none for a canary step. */
  builtIns?: readonly GivenArgument[];
}

/** Either the object to POST, or one sentence that says which argument is open. */
export type BuiltHookRun = { hookRun: HookRun; dropped: string[] } | { unresolved: string[]; message: string };

/** As the label of a run tells which gate it is of. */
export const GATE_RUN_TYPES: Readonly<Record<GateType, HookRunType>> = {
  predelete: 'pre-delete-step',
  preinplace: 'pre-inplace-step',
  postinplace: 'post-inplace-step',
};

/** Undefined for a run of a canary step. */
export function gateTypeOf({ metadata }: HookRun): GateType | undefined {
  const type = metadata.labels?.[HOOK_RUN_TYPE_LABEL];
  return (Object.keys(GATE_RUN_TYPES) as GateType[]).find((gate) => GATE_RUN_TYPES[gate] === type);
}

/** The HookRun to create. Times of the step win over those of the template (decision 33). */
export function buildHookRun({ template, step, owner, purpose, builtIns = [] }: HookRunOrder): BuiltHookRun {
  const declared = (template.spec.args ?? []).filter((argument) => !isIdle(template, purpose, argument));
  const resolution = resolveArguments(declared, step.args ?? [], builtIns);
  if (!resolution.resolved) {
    const { unresolved } = resolution;
    return { unresolved, message: describeUnresolved(template.metadata.name, unresolved) };
  }
  const { args, dropped } = resolution;
  return { hookRun: assemble({ template, step, owner, purpose }, args, dropped), dropped };
}

/**
 * A canary step has no pod: a fact of the pod that the template declares, but no metric asks for, is left out, so that one
 * template serves gates and steps alike. One that is asked for stays unresolved.
 */
function isIdle({ spec }: HookTemplate, purpose: HookRunPurpose, { name, value }: HookArgument): boolean {
  if (purpose.type !== 'canary' || value !== undefined || !isBuiltInArgument(name)) return false;
  const tags = JSON.stringify(spec.metrics).split('{{').slice(1);
  return !tags.some((tag) => tag.split('}}')[0]?.trim() === `args.${name}`);
}

function hookRunName(purpose: HookRunPurpose, templateName: string): string {
  if (purpose.type === 'canary') {
    const { revision, stepIndex, attempt } = purpose;
    return canaryRunName({ updateRevision: revision, stepIndex, templateName, attempt });
  }
  const { gate, podRevision, instanceId, attempt } = purpose;
  return gateRunName({ gate, podRevision, instanceId, templateName, attempt });
}

function assemble({ template, step, owner, purpose }: HookRunOrder, args: GivenArgument[], dropped: string[]): HookRun {
  const { metrics, policy } = template.spec;
  const activeDeadlineSeconds = step.activeDeadlineSeconds ?? template.spec.activeDeadlineSeconds;
  const ttlSecondsAfterFinished = step.ttlSecondsAfterFinished ?? template.spec.ttlSecondsAfterFinished;
  return {
    apiVersion: API_VERSION,
    kind: HOOK_RUN.kind,
    metadata: {
      name: hookRunName(purpose, template.metadata.name),
      namespace: owner.metadata.namespace,
      labels: labelsOf(purpose),
      ...(dropped.length > 0 && { annotations: { [DROPPED_ARGUMENTS_ANNOTATION]: dropped.join(',') } }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: {
      metrics,
      args,
      ...(policy !== undefined && { policy }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
    },
  };
}

function labelsOf(purpose: HookRunPurpose): Record<string, string> {
  if (purpose.type === 'canary') {
    return {
      [HOOK_RUN_TYPE_LABEL]: 'canary-step',
      [WORKLOAD_REVISION_LABEL]: purpose.revision,
      [CANARY_STEP_LABEL]: String(purpose.stepIndex),
      [ATTEMPT_LABEL]: String(purpose.attempt),
    };
  }
  return {
    [HOOK_RUN_TYPE_LABEL]: GATE_RUN_TYPES[purpose.gate],
    [WORKLOAD_REVISION_LABEL]: purpose.podRevision,
    [INSTANCE_LABEL]: purpose.instanceId,
    [POD_UID_LABEL]: purpose.podUid,
    [ATTEMPT_LABEL]: String(purpose.attempt),
  };
}

function controllerReference({ apiVersion = API_VERSION, kind = '', metadata }: KubernetesObject) {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
