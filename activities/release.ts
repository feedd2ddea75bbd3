/**
 * Lets go of pods that outlived their workload (decision 45): after an orphan delete marks are removed and gates of
 * half-updated pods are opened, so that nobody has to know about us. Pods that have a controller are not touched.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { identityLabelOf, isNamedBy } from '../core/adoption.ts';
import { isPatchPending, patchStageOf } from '../core/in-place.ts';
import { openGatePatch } from '../core/in-place-patches.ts';
import { hasController } from '../core/ownership.ts';
import { WITHOUT_MARKS } from '../core/plan/mark-annotations.ts';
import { runsNamedBy } from '../core/plan/pod-view.ts';
import { gateOf, isActive } from '../core/pods.ts';
import { sentence } from '../core/status/sentence.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { referenceTo } from '../kubernetes/event-notes.ts';
import type { EventRecorder } from '../kubernetes/event-recorder.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { type Attempt, whileBeating } from './attempt.ts';
import { dropHookRun, runOfPod } from './marks.ts';
import type { Outcome } from './outcome.ts';
import { type PodPatch, patchPod, type WriteTools } from './pod-writes.ts';
import type { Ports } from './ports.ts';
import type { WorkloadKey } from './types.ts';

export interface ReleasePorts extends Ports {
  recorder: Pick<EventRecorder, 'record'>;
}

/** A restart that is not proven by then may never be: an open gate leaves the pod to its own readiness. */
const EVIDENCE_WAIT_MS = 40_000;
const LOOK_EVERY_MS = 1_000;

/**
 * Repeated until nothing is left to do.
 * @throws ApiError when pods cannot be listed; Error when some were not released, so that it is tried again; events on the pods
 * say so meanwhile.
 */
export async function releasePods(
  ports: ReleasePorts,
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
      const due = held.filter(isReleased);
      const refusals = await Promise.all(due.map((pod) => release(ports, tools, pod)));
      if (isOver && refusals.some((why) => why !== null)) {
        for (const [at, pod] of due.entries()) tellRefused(ports, request.key, pod, refusals[at] ?? null);
        throw new Error(`pods of ${request.key.name} could not be released yet`);
      }
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  });
}

/** Pods named as ours that nobody controls and that still carry a mark or a closed gate. */
async function heldPods({ client }: Ports, key: WorkloadKey, signal: AbortSignal): Promise<Pod[]> {
  const { namespace, kind, name } = key;
  const { items } = await client.list(podType, { namespace, labelSelector: identityLabelOf(kind), signal });
  return items.filter((pod) => {
    return isHeld(pod) && isNamedBy(kind, name, pod);
  });
}

/** Nobody controls it, and it still carries a mark or a gate that is not open. */
export const isHeld = (pod: Pod): boolean => !hasController(pod) && isActive(pod) && (isMarked(pod) || isShut(pod));

function tellRefused({ recorder }: ReleasePorts, { kind, name }: WorkloadKey, pod: Pod, why: string | null): void {
  if (why === null) return;
  const note = sentence(`${kind} ${name} is gone, and this pod could not be let go of: ${why}; it is tried again`);
  recorder.record({
    regarding: referenceTo({ ...pod, apiVersion: 'v1', kind: 'Pod' }),
    type: 'Warning',
    reason: 'FailedRelease',
    action: 'Release',
    note,
  });
}

const isMarked = ({ metadata }: Pod): boolean =>
  Object.keys(WITHOUT_MARKS).some((key) => metadata.annotations?.[key] !== undefined);

const isShut = (pod: Pod): boolean => gateOf(pod) === 'closed' || gateOf(pod) === 'absent';

/** null: it is done, or the pod is gone; else why not. */
async function release(ports: Ports, tools: WriteTools, pod: Pod): Promise<string | null> {
  const unmarked = isMarked(pod) ? await patchPod(tools, pod, unmarkPatch) : { result: 'done' as const, pod };
  if (unmarked.result !== 'done' || unmarked.pod === undefined) return whyNot(unmarked);
  await dropRuns(ports, tools, pod);
  return isShut(unmarked.pod) ? whyNot(await patchPod(tools, unmarked.pod, openPatch(ports))) : null;
}

/** One that is not known goes with its workload. */
async function dropRuns({ stores, log }: Ports, tools: WriteTools, { metadata, ...pod }: Pod): Promise<void> {
  const { namespace = '' } = metadata;
  for (const name of runsNamedBy({ metadata, ...pod })) {
    const stored = stores.hookRuns.get({ namespace, name });
    const uid = stored && runOfPod(name, metadata.uid, [stored])?.metadata.uid;
    const warn = (err: unknown) => log.warn({ err, hookRun: name }, 'a HookRun was not removed');
    if (uid !== undefined) await dropHookRun(tools, { namespace, name, uid }, warn);
  }
}

function whyNot(outcome: Outcome): string | null {
  if (outcome.result === 'done' || outcome.result === 'gone') return null;
  return outcome.result === 'refused' ? outcome.message : 'its write was not answered, or somebody else was faster';
}

const unmarkPatch: PodPatch = {
  body: ({ metadata: { uid, resourceVersion } }) => ({
    metadata: { uid, resourceVersion, annotations: WITHOUT_MARKS },
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
