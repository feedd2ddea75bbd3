/**
 * One write to one pod and what became of it (protocol §2, rules 1 and 2): compare-and-swap, then, after a failure, a
 * look and a verdict. Decides no moves and knows no plans.
 */
import { mayOpenGate } from '../core/in-place.ts';
import { openGatePatch } from '../core/in-place-patches.ts';
import { isControlledBy } from '../core/ownership.ts';
import { gateOf, isActive, isTerminating, revisionOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import type { PatchBody } from '../kubernetes/patches.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import type { Outcome } from './outcome.ts';
import { type Failure, type Found, failureOf, judgeCreate, judgeDelete, judgePatch, needsLook } from './outcome.ts';
import type { SendPermit } from './write-fence.ts';

/** Writes that spend nothing may be repeated on a newer version of the pod this often. */
const MAX_REREADS = 3;

export interface WriteTools {
  client: KubernetesClient;
  fence: SendPermit;
  nowMs: () => number;
}

/** A compare-and-swap patch of a pod. */
export interface PodPatch {
  /** The body for exactly this version; it carries uid and resourceVersion. */
  body: (pod: Pod) => object;
  subresource?: 'status';
  /** Does the pod carry the mark that this patch leaves? */
  isDone: (pod: Pod) => boolean;
  spends: boolean;
  /** Asked before the patch is repeated on another version; never for a patch that spends. */
  isStillWanted: (pod: Pod) => boolean;
}

/** Patches `seen`, and newer versions of it where the patch spends nothing and is still wanted. */
export async function patchPod(tools: WriteTools, seen: Pod, patch: PodPatch): Promise<Outcome> {
  let pod = seen;
  for (let rereads = 0; ; rereads += 1) {
    if (!tools.fence.isOpen(patch.spends)) return { result: 'moved' };
    const failure = await sendPatch(tools, pod, patch);
    if (!('kind' in failure)) return failure;
    const found = await lookAt(tools, pod, failure);
    const outcome = judgePatch(failure, found, pod, patch.isDone);
    const mayRepeat = outcome.result === 'moved' && !patch.spends && rereads < MAX_REREADS && typeof found === 'object';
    if (!mayRepeat || !patch.isStillWanted(found)) return outcome;
    pod = found;
  }
}

async function sendPatch(tools: WriteTools, pod: Pod, patch: PodPatch): Promise<Outcome | Failure> {
  const body = patch.body(pod) as PatchBody;
  const options = { subresource: patch.subresource, notAfter: tools.fence.notAfter?.(patch.spends) };
  try {
    const patched = await tools.client.patch(podType, refOf(pod), { kind: 'strategic', body }, options);
    return { result: 'done', pod: patched };
  } catch (error) {
    return failureOf(error);
  }
}

/** `force`: without the word of its kubelet. */
interface Deletion {
  namespace: string;
  pod: string;
  uid: string;
  resourceVersion: string;
  spends: boolean;
  force?: true;
}

/** Deletes exactly this version. A delete is never repeated on another one: the pod may serve somebody by then. */
export async function deletePod(tools: WriteTools, item: Deletion): Promise<Outcome> {
  const { uid, resourceVersion, spends, force } = item;
  // Nobody says after it that the pod has stopped: it goes out on facts as fresh as a write that spends.
  const needsFreshFacts = spends || force === true;
  if (!tools.fence.isOpen(needsFreshFacts)) return { result: 'moved' };
  const ref = { namespace: item.namespace, name: item.pod };
  const notAfter = tools.fence.notAfter?.(needsFreshFacts);
  try {
    const pod = await tools.client.delete(podType, ref, {
      uid,
      resourceVersion,
      notAfter,
      ...(force && { gracePeriodSeconds: 0 }),
    });
    return { result: 'done', pod };
  } catch (error) {
    const failure = failureOf(error);
    const found = await lookAt(tools, { metadata: ref }, failure);
    return judgeDelete(failure, found, item);
  }
}

/** Posts a pod. Its gate is no part of this write, nor of the outcome: see new-gates.ts. */
export async function createPod(tools: WriteTools, pod: Pod): Promise<Outcome> {
  // A POST spends surge: it is sent on fresh facts only.
  if (!tools.fence.isOpen(true)) return { result: 'moved' };
  try {
    return { result: 'done', pod: await tools.client.create(podType, pod, { notAfter: tools.fence.notAfter?.(true) }) };
  } catch (error) {
    const failure = failureOf(error);
    return judgeCreate(failure, await lookAt(tools, pod, failure), (found) => isSamePod(found, pod));
  }
}

/** Opens a gate that nobody has opened yet, or one behind an update in place that is proven; does nothing to any other. */
export async function openGate(tools: WriteTools, pod: Pod): Promise<Outcome> {
  if (!isActive(pod) || !mayOpenGate(pod)) return { result: 'moved' };
  return patchPod(tools, pod, {
    body: (seen) => openGatePatch(seen, tools.nowMs()),
    subresource: 'status',
    isDone: (seen) => gateOf(seen) === 'open',
    spends: false,
    isStillWanted: (seen) => isActive(seen) && mayOpenGate(seen),
  });
}

/** AlreadyExists is ours only if controller and revision match and the pod is not terminating (rule 2). */
function isSamePod(found: Pod, wanted: Pod): boolean {
  const owner = wanted.metadata.ownerReferences?.[0]?.uid;
  return isControlledBy(found, owner) && revisionOf(found) === revisionOf(wanted) && !isTerminating(found);
}

/** A quorum read after a failure, where it can say anything. */
async function lookAt(tools: WriteTools, pod: Pick<Pod, 'metadata'>, failure: Failure): Promise<Found> {
  if (!needsLook(failure)) return 'unreadable';
  try {
    return await tools.client.get(podType, refOf(pod));
  } catch (error) {
    return isApiError(error, 'notFound') ? 'none' : 'unreadable';
  }
}

const refOf = ({ metadata }: Pick<Pod, 'metadata'>) => ({ namespace: metadata.namespace, name: metadata.name });
