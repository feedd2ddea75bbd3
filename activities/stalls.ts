/** Says on a workload what it cannot say itself, since its workflow is stuck or waits (core/status/stalled.ts). */
import { type Finding, stalledStatus } from '../core/status/stalled.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { referenceTo } from '../kubernetes/event-notes.ts';
import type { EventRecorder } from '../kubernetes/event-recorder.ts';
import { workloadTypeOf } from './kinds.ts';

export interface StallPorts {
  client: KubernetesClient;
  recorder: Pick<EventRecorder, 'record'>;
  nowMs: () => number;
}

interface Saying {
  /** Of the event. */
  action: string;
  statusOf?: typeof stalledStatus;
  signal?: AbortSignal;
}

/** In its conditions and as an event. @throws ApiError where the status cannot be written. */
export async function sayStalled(
  { client, recorder, nowMs }: StallPorts,
  workload: GameWorkload,
  finding: Finding,
  { action, signal, statusOf = stalledStatus }: Saying,
): Promise<void> {
  const next = { ...workload, status: statusOf(workload, finding, nowMs()) } as GameWorkload;
  await client.replaceStatus(workloadTypeOf(workload.kind), next, { signal });
  const { reason, message: note } = finding;
  recorder.record({ regarding: referenceTo(workload), type: 'Warning', reason, action, note });
}
