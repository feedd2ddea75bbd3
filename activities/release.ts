/**
 * Lets go of pods that outlived their workload (decision 45): after an orphan delete marks are removed and gates of
 * half-updated pods are opened, so that nobody has to know about us. Pods that have a controller are not touched.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { hasController, identityLabelOf, isNamedBy } from '../core/adoption.ts';
import { isPatchPending, patchStageOf } from '../core/in-place.ts';
import { openGatePatch } from '../core/in-place-patches.ts';
import { MOVE_ANNOTATION, POD_DELETING_ANNOTATION } from '../core/keys.ts';
import { markOf } from '../core/plan/pod-view.ts';
import { gateOf, isActive } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { type Attempt, whileBeating } from './attempt.ts';
import { dropHookRun } from './marks.ts';
import { type PodPatch, patchPod, type WriteTools } from './pod-writes.ts';
import type { Ports } from './ports.ts';
import type { WorkloadKey } from './types.ts';

/** A restart that is not proven by then may never be: an open gate leaves the pod to its own readiness. */
const EVIDENCE_WAIT_MS = 40_000;
const LOOK_EVERY_MS = 1_000;

/**
 * Repeated until nothing is left to do.
 * @throws ApiError when pods cannot be listed; Error when some were not released, so that it is tried again.
 */
export async function releasePods(
  ports: Ports,
  request: { key: WorkloadKey; uid: string },
  attempt: Attempt,
): Promise<void> {
  await whileBeating(attempt, async () => {
    const { signal } = attempt;
    const endsAt = ports.monotonicMs() + EVIDENCE_WAIT_MS;
    const tools = { client: ports.client, nowMs: ports.nowMs, fence: { isOpen: () => !signal.aborted } };
    for (;;) {
      const held = await heldPods(ports, request.key, signal);
      if (held.length === 0) return;
      const isOver = ports.monotonicMs() >= endsAt;
      // A container whose turn had come keeps its image: nobody gives it another one.
      const isReleased = (pod: Pod) => isOver || !isPatchPending(pod) || patchStageOf(pod).stage === 'next';
      const released = await Promise.all(held.filter(isReleased).map((pod) => release(ports, tools, pod)));
      if (isOver && released.includes(false)) throw new Error(`pods of ${request.key.name} could not be released yet`);
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  });
}

/** Pods named as ours that nobody controls and that still carry a mark or a closed gate. */
async function heldPods({ client }: Ports, key: WorkloadKey, signal: AbortSignal): Promise<Pod[]> {
  const { namespace, kind, name } = key;
  const { items } = await client.list(podType, { namespace, labelSelector: identityLabelOf(kind), signal });
  return items.filter((pod) => {
    return !hasController(pod) && isNamedBy(kind, name, pod) && isActive(pod) && (isMarked(pod) || isShut(pod));
  });
}

const isMarked = ({ metadata }: Pod): boolean =>
  [MOVE_ANNOTATION, POD_DELETING_ANNOTATION].some((key) => metadata.annotations?.[key] !== undefined);

const isShut = (pod: Pod): boolean => gateOf(pod) === 'closed' || gateOf(pod) === 'absent';

async function release(ports: Ports, tools: WriteTools, pod: Pod): Promise<boolean> {
  const mark = markOf(pod);
  const unmarked = isMarked(pod) ? await patchPod(tools, pod, unmarkPatch) : { result: 'done' as const, pod };
  if (unmarked.result !== 'done' || unmarked.pod === undefined) return unmarked.result === 'gone';
  if (mark !== undefined) {
    const warn = (err: unknown) => ports.log.warn({ err, hookRun: mark.hookRun }, 'a HookRun was not removed');
    await dropHookRun(tools, { namespace: pod.metadata.namespace ?? '', name: mark.hookRun }, warn);
  }
  if (!isShut(unmarked.pod)) return true;
  const { result } = await patchPod(tools, unmarked.pod, openPatch(ports));
  return result === 'done' || result === 'gone';
}

const unmarkPatch: PodPatch = {
  body: ({ metadata: { uid, resourceVersion } }) => ({
    metadata: { uid, resourceVersion, annotations: { [MOVE_ANNOTATION]: null, [POD_DELETING_ANNOTATION]: null } },
  }),
  isDone: (pod) => !isMarked(pod),
  spends: false,
  isStillWanted: isMarked,
};

const openPatch = ({ nowMs }: Ports): PodPatch => ({
  body: (pod) => openGatePatch(pod, nowMs()),
  subresource: 'status',
  isDone: (pod) => gateOf(pod) === 'open',
  spends: false,
  isStillWanted: isShut,
});
