/** Whether each pod that we took out of service had its own hook's word for it, read off the history of the model's API. */

import type { GateType } from '../../core/hooks/names.ts';
import { POD_UID_LABEL, READINESS_GATE } from '../../core/keys.ts';
import { gateBeforeUpdate, gateOfMark, hookOf } from '../../core/plan/pod-hooks.ts';
import { markOf } from '../../core/plan/pod-view.ts';
import { conditionOf } from '../../core/pods.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Actor } from './actor.ts';

/** What the pod is taken out of service for; undefined where it is not. */
function wayOut({ spec }: Actor, pod: Pod): GateType | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return 'predelete';
  return conditionOf(pod, READINESS_GATE)?.status === 'False' ? gateBeforeUpdate({ spec }) : undefined;
}

/** The right hook succeeded, or somebody passed it over after it had failed. */
function hasPassed({ desk, hooks }: Actor, pod: Pod, gate: GateType): boolean {
  const mark = markOf(pod);
  const run = hooks.runs.find(({ metadata }) => metadata.name === mark?.hookRun);
  if (mark === undefined || gateOfMark(mark) !== gate || run?.metadata.labels?.[POD_UID_LABEL] !== pod.metadata.uid)
    return false;
  const { skippedAtMs = 0 } = desk.state.gates;
  return run?.status?.phase === 'Successful' || Date.parse(run?.status?.finishedAt ?? '') <= skippedAtMs;
}

/** A sentence for each running pod that was deleted or changed without its hook; nothing in stories without hooks. */
export function passedOver(actor: Actor): string[] {
  const known = new Map<string, Pod>();
  return actor.api.history.flatMap(({ name, pod, version }) => {
    const before = known.get(name);
    if (pod === undefined) known.delete(name);
    else known.set(name, pod);
    if (pod === undefined || before?.status?.phase !== 'Running' || wayOut(actor, before) !== undefined) return [];
    const gate = wayOut(actor, pod);
    if (gate === undefined || hookOf(actor, gate) === undefined || actor.isStrike(version)) return [];
    return hasPassed(actor, before, gate) ? [] : [`${name} goes without its hook`];
  });
}
