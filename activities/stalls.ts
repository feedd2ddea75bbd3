/** Says on a workload what it cannot say itself, since its workflow is stuck or waits (core/status/stalled.ts). */
import { type Finding, withStall } from '../core/status/stalled.ts';
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

/** In its conditions and as an event. `action` is that of the event. @throws ApiError where the status cannot be written. */
export async function sayStalled(
  { client, recorder, nowMs }: StallPorts,
  workload: GameWorkload,
  finding: Finding,
  { action, signal }: { action: string; signal?: AbortSignal },
): Promise<void> {
  const { generation = 0 } = workload.metadata;
  const conditions = withStall(workload.status?.conditions ?? [], finding, generation, nowMs());
  const next = { ...workload, status: { ...workload.status, conditions } } as GameWorkload;
  await client.replaceStatus(workloadTypeOf(workload.kind), next, { signal });
  const { reason, message: note } = finding;
  recorder.record({ regarding: referenceTo(workload), type: 'Warning', reason, action, note });
}
