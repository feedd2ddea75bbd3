/** Whether a non-spending move still makes sense on a pod that was read again (protocol §2, rule 1). */
import type { Pod } from '../../crds/kubernetes.ts';
import { inPlaceStageOf, mayOpenGate, patchStageOf } from '../in-place.ts';
import { gateOf, isActive, isReady, revisionOf } from '../pods.ts';
import { markOf, owedMarkOf } from './pod-view.ts';
import type { Move } from './types.ts';

/** The image patch after W1 may meet the kubelet's Ready=False in between; a closed gate proves that nothing is spent. */
function isPatchWanted(pod: Pod, revision: string): boolean {
  if (gateOf(pod) !== 'closed') return false;
  const stage = inPlaceStageOf(pod);
  if (stage.stage === 'grace' && stage.revision === revision) return true;
  const { stage: patched } = patchStageOf(pod);
  return patched === 'next' && revisionOf(pod) === revision;
}

/** Spending moves answer false: they are planned again, never repeated on another version. */
export function stillWanted(pod: Pod, move: Move): boolean {
  if (!('uid' in move) || pod.metadata.uid !== move.uid || !isActive(pod)) return false;
  switch (move.act) {
    case 'patch-images':
      return isPatchWanted(pod, move.revision);
    case 'close-gate':
      return !move.spends && !isReady(pod) && revisionOf(pod) !== move.revision;
    case 'open-gate':
      return mayOpenGate(pod);
    case 'unmark':
      return (move.kind === 'updated' ? owedMarkOf(pod) : markOf(pod))?.hookRun === move.hookRun;
    case 'fence':
    case 'end-hook':
      return false;
    case 'delete':
    case 'mark':
    case 'patch-metadata':
    case 'adopt':
    case 'release':
      return false;
  }
}
