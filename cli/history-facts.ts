/** The revisions of one workload, with the pods that run each and how its rollout went. Asks the cluster only. */
import type { WorkloadKey } from '../activities/types.ts';
import { ROLLOUT_SUMMARY_ANNOTATION } from '../core/keys.ts';
import { isControlledBy } from '../core/ownership.ts';
import { findEqualRevision, type RecordedRevision, standingNames, toRevisions } from '../core/revisions.ts';
import type { RolloutResult } from '../core/rollout/types.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { controllerRevisions } from '../kubernetes/resource-types.ts';
import { CannotStart } from '../workers/startup-error.ts';
import { countRevisions, readWorkload } from './rollout-facts.ts';

export interface HistoryEntry extends RecordedRevision {
  pods: number;
  ready: number;
  /** Of the last rollout to this revision; absent where none has ended. */
  result?: RolloutResult;
}

export interface History {
  workload: GameWorkload;
  /** The lowest number first. */
  entries: HistoryEntry[];
  /** The revision that the pods are meant to run but for the rollout; undefined where the status names none. */
  stable: HistoryEntry | undefined;
  /** The revision that the spec asks for; undefined where none is recorded yet. */
  asked: HistoryEntry | undefined;
}

/** @throws CannotStart where there is no such object. */
export async function readHistory(client: KubernetesClient, key: WorkloadKey): Promise<History> {
  const workload = await readWorkload(client, key);
  const { namespace, uid } = workload.metadata;
  // By their owner: revisions of before may have other labels than the selector asks for now.
  const { items } = await client.list(controllerRevisions, { namespace });
  const own = items.filter((revision) => isControlledBy(revision, uid));
  return historyOf(workload, own, await countRevisions(client, workload));
}

/** Pure. */
export function historyOf(
  workload: GameWorkload,
  revisions: ControllerRevision[],
  counts: { name: string; pods: number; ready: number }[],
): History {
  const summaries = new Map(revisions.map((revision) => [revision.metadata.name, resultIn(revision)]));
  const entries = toRevisions(revisions).map((revision): HistoryEntry => {
    const { pods, ready } = counts.find(({ name }) => name === revision.name) ?? { pods: 0, ready: 0 };
    const result = summaries.get(revision.name);
    return { ...revision, pods, ready, ...(result === undefined ? {} : { result }) };
  });
  const { status = {}, spec } = workload;
  const named = (name: string | undefined) => entries.find((entry) => entry.name === name);
  const stable = named(status.canary?.revision) ?? named(status.currentRevision);
  const asked = findEqualRevision(entries, spec.template, standingNames(status)) ?? undefined;
  return { workload, entries, stable, asked };
}

function resultIn({ metadata }: ControllerRevision): RolloutResult | undefined {
  try {
    return JSON.parse(metadata.annotations?.[ROLLOUT_SUMMARY_ANNOTATION] ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** `gamedeployment/lobby`, as people type it. */
export const nameOf = ({ kind, metadata: { name } }: GameWorkload): string => `${kind.toLowerCase()}/${name}`;

/** What a revision is besides its number; empty for one of the past. */
export function rolesOf({ stable, asked }: History, { name, leaving }: HistoryEntry): string[] {
  return [
    ...(name === stable?.name ? ['stable'] : []),
    ...(name === asked?.name ? ['update'] : []),
    ...(leaving === undefined ? [] : ['being deleted']),
  ];
}

/** `2 (lobby-6f7b, stable)` */
export function sayEntry(history: History, entry: HistoryEntry): string {
  return `${entry.number} (${[entry.name, ...rolesOf(history, entry)].join(', ')})`;
}

/**
 * The revision that is meant by its number or its name. @throws CannotStart with what there is.
 */
export function findEntry(history: History, wanted: string): HistoryEntry {
  const found = history.entries.find(({ name, number }) => name === wanted || String(number) === wanted);
  if (found !== undefined) return found;
  const all = history.entries.map((entry) => sayEntry(history, entry)).join(', ');
  const rest = all === '' ? 'none is recorded' : `there are ${all}`;
  throw new CannotStart(`${nameOf(history.workload)} has no revision ${wanted}: ${rest}`);
}
