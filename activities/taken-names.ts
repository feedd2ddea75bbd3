/** What becomes of a create whose name another pod has: a GameDeployment takes a new name, an ordinal has no other one. */
import { REVISION_LABEL } from '../core/keys.ts';
import { isGameStatefulSet } from '../core/kinds.ts';
import { controllerOf, isControlledBy } from '../core/ownership.ts';
import { isTerminating } from '../core/pods.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { Outcome } from './outcome.ts';

/**
 * A name that is given up (protocol §2, rule 5); for a set a refusal that says who has it, and is tried again less and less often.
 * A pod of ours that the stores show is no refusal: the next plan sees it.
 */
export function judgeTaken(workload: GameWorkload, pod: Pod): Outcome {
  const isOwn = isControlledBy(pod, workload.metadata.uid);
  const isLabelled = pod.metadata.labels?.[REVISION_LABEL] !== undefined;
  if (!isGameStatefulSet(workload) || (isOwn && isLabelled)) return { result: 'taken', pod };
  const going = isTerminating(pod) ? ', is being deleted' : '';
  const lacks = isOwn ? `, but lacks the label ${REVISION_LABEL}` : '';
  const message = `Pod ${pod.metadata.name} exists${going} and is controlled by ${controllerText(pod)}${lacks}`;
  return { result: 'refused', message };
}

function controllerText(pod: Pod): string {
  const owner = controllerOf(pod);
  return owner === undefined ? 'nobody' : `${owner.kind} ${owner.name}`;
}
