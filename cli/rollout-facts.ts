/**
 * What `holdfast get` knows of one workload and its rollout: the object, its pods, and what Temporal says of the rollout. What
 * cannot be reached is said, and the rest is shown.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { workloadTypeOf } from '../activities/kinds.ts';
import type { WorkloadKey } from '../activities/types.ts';
import { REVISION_LABEL, ROLLOUT_SUMMARY_ANNOTATION } from '../core/keys.ts';
import { isControlledBy } from '../core/ownership.ts';
import { isActive, isReady } from '../core/pods.ts';
import type { RolloutResult } from '../core/rollout/types.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { controllerRevisions, pods as podType } from '../kubernetes/resource-types.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { rolloutId } from '../workflows/ids.ts';
import type { RolloutReport } from '../workflows/rollout-query.ts';

export interface RevisionCount {
  name: string;
  pods: number;
  ready: number;
}

/** How much of the rollout could be learned. */
export type RolloutSeen =
  | { from: 'run'; report: RolloutReport; startedAt: string }
  | { from: 'result'; result: RolloutResult }
  /** Temporal or its worker does not answer: the object's status is what there is. */
  | { from: 'status'; why: string }
  | { from: 'nothing' };

export interface RolloutFacts {
  workload: GameWorkload;
  revisions: RevisionCount[];
  rollout: RolloutSeen;
  /** Where Temporal keeps the rollout; absent: `default`, or nobody knows. */
  temporalNamespace?: string;
}

/** The revision that pods move to: a rollout that runs knows it before a status says so. */
export const targetOf = ({ workload, rollout }: Pick<RolloutFacts, 'workload' | 'rollout'>): string =>
  rollout.from === 'run' ? rollout.report.toRevision : (workload.status?.updateRevision ?? '');

const QUERY_WITHIN_MS = 5_000;

/** @throws CannotStart where there is no such object. `temporal` is a sentence where it could not be reached. */
export async function readRolloutFacts(
  client: KubernetesClient,
  temporal: Client | string,
  key: WorkloadKey,
): Promise<RolloutFacts> {
  const workload = await readWorkload(client, key);
  const [revisions, rollout] = await Promise.all([
    countRevisions(client, workload),
    typeof temporal === 'string'
      ? withoutTemporal(client, workload, temporal)
      : readRollout(temporal, client, workload),
  ]);
  const temporalNamespace = typeof temporal === 'string' ? undefined : temporal.options.namespace;
  return { workload, revisions, rollout, temporalNamespace };
}

/** @throws CannotStart where there is no such object. */
export async function readWorkload(client: KubernetesClient, key: WorkloadKey): Promise<GameWorkload> {
  const { kind, namespace, name } = key;
  try {
    return await client.get(workloadTypeOf(kind), key);
  } catch (cause) {
    if (!isApiError(cause, 'notFound')) throw cause;
    throw new CannotStart(`There is no ${kind.toLowerCase()}/${name} in namespace ${namespace}`, { cause });
  }
}

/** Active pods of each revision, by its name. */
export async function countRevisions(client: KubernetesClient, { metadata }: GameWorkload): Promise<RevisionCount[]> {
  const { namespace, uid } = metadata;
  const { items } = await client.list(podType, { namespace, labelSelector: REVISION_LABEL });
  const counts = new Map<string, RevisionCount>();
  for (const pod of items.filter((each) => isControlledBy(each, uid) && isActive(each))) {
    const name = pod.metadata.labels?.[REVISION_LABEL] ?? '';
    const count = counts.get(name) ?? { name, pods: 0, ready: 0 };
    const ready = isReady(pod) ? count.ready + 1 : count.ready;
    counts.set(name, { name, pods: count.pods + 1, ready });
  }
  return [...counts.values()].sort((left, right) => left.name.localeCompare(right.name));
}

/** The newest run of the rollout's id: its state where it runs, its result where it is over. */
async function readRollout(temporal: Client, client: KubernetesClient, workload: GameWorkload): Promise<RolloutSeen> {
  const { kind, metadata } = workload;
  const handle = temporal.workflow.getHandle(
    rolloutId({ kind, namespace: metadata.namespace ?? '', name: metadata.name }),
  );
  try {
    const { status, startTime } = await handle.describe();
    if (status.name === 'COMPLETED') return { from: 'result', result: (await handle.result()) as RolloutResult };
    if (status.name !== 'RUNNING')
      return { from: 'status', why: `the rollout's workflow was ${status.name.toLowerCase()}` };
    const late = delay(QUERY_WITHIN_MS, undefined, { ref: false }).then(() => {
      throw new Error('no worker answers');
    });
    const report = await Promise.race([handle.query<RolloutReport>('state'), late]);
    return { from: 'run', report, startedAt: startTime.toISOString() };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return await lastSummary(client, workload);
    return { from: 'status', why: sayError(error) };
  }
}

async function withoutTemporal(client: KubernetesClient, workload: GameWorkload, why: string): Promise<RolloutSeen> {
  const { updateRevision, currentRevision } = workload.status ?? {};
  if (updateRevision !== currentRevision) return { from: 'status', why };
  const seen = await lastSummary(client, workload);
  return seen.from === 'nothing' ? { from: 'status', why } : seen;
}

/** What the update revision says of how its rollout went: it outlives Temporal's retention (decision 18). */
async function lastSummary(client: KubernetesClient, { metadata, status }: GameWorkload): Promise<RolloutSeen> {
  try {
    const ref = { namespace: metadata.namespace, name: status?.updateRevision || 'none' };
    const revision = await client.get(controllerRevisions, ref);
    const text = revision.metadata.annotations?.[ROLLOUT_SUMMARY_ANNOTATION];
    return text === undefined ? { from: 'nothing' } : { from: 'result', result: JSON.parse(text) as RolloutResult };
  } catch {
    return { from: 'nothing' };
  }
}
