/** Whether each pod that we took out of service had its own hook's word for it, read off the history of the model's API. */
import { POD_UID_LABEL, READINESS_GATE } from '../../core/keys.ts';
import { markOf } from '../../core/plan/pod-view.ts';
import { conditionOf } from '../../core/pods.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Actor } from './actor.ts';

const isGoing = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp !== undefined || conditionOf(pod, READINESS_GATE)?.status === 'False';

/** It succeeded, or somebody passed it over after it had failed. */
function hasPassed({ desk, hooks }: Actor, pod: Pod): boolean {
  const hookRun = markOf(pod)?.hookRun;
  const run = hooks.runs.find(({ metadata }) => metadata.name === hookRun);
  if (run?.metadata.labels?.[POD_UID_LABEL] !== pod.metadata.uid) return false;
  const { skippedAtMs = 0 } = desk.state.gates;
  return run?.status?.phase === 'Successful' || Date.parse(run?.status?.finishedAt ?? '') <= skippedAtMs;
}

/** A sentence for each running pod that was deleted or changed without its hook; nothing in stories without hooks. */
export function passedOver(actor: Actor): string[] {
  if (actor.spec.preDeleteUpdateStrategy?.hook === undefined) return [];
  const known = new Map<string, Pod>();
  return actor.api.history.flatMap(({ name, pod, version }) => {
    const before = known.get(name);
    if (pod === undefined) known.delete(name);
    else known.set(name, pod);
    if (pod === undefined || before?.status?.phase !== 'Running' || isGoing(before) || !isGoing(pod)) return [];
    return actor.isStrike(version) || hasPassed(actor, before) ? [] : [`${name} goes without its hook`];
  });
}
