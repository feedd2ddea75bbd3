/** The ControllerRevisions of one workload as the apiserver has them: adopting orphans, and cutting the history. */

import { REVISION_LABEL } from '../core/keys.ts';
import { isLabelValue } from '../core/label-syntax.ts';
import { equalTemplates } from '../core/normalise.ts';
import { hasController, isControlledBy } from '../core/ownership.ts';
import { isRevisionOfKind, revisionsToDelete, templateOf } from '../core/revisions.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ControllerRevision, KubernetesObject } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { referenceTo } from '../kubernetes/event-notes.ts';
import { mergePatch } from '../kubernetes/patches.ts';
import { controllerRevisions, pods } from '../kubernetes/resource-types.ts';
import type { ReportPorts } from './report.ts';
import { listRevisions } from './revision-list.ts';

/** Absent `revisionHistoryLimit` (game-workloads §1.1). */
const HISTORY_LIMIT = 10;

/** What the API answers when somebody else was faster. */
const isLost = (error: unknown): boolean => isApiError(error, 'conflict', 'notFound', 'gone', 'invalid');

/**
 * A quorum read of the workload's revisions, those that are being deleted included. Ones without a controller that the selector
 * matches are adopted, as after an orphan delete, unless they were made for the other kind; the caller has just read the workload, so that a dead object adopts nothing.
 */
export async function ownedRevisions(
  ports: ReportPorts,
  workload: GameWorkload,
  signal: AbortSignal,
): Promise<ControllerRevision[]> {
  const items = await listRevisions(ports, workload, signal);
  const owned = items.filter((revision) => isControlledBy(revision, workload.metadata.uid));
  const isOrphan = (revision: ControllerRevision) =>
    !hasController(revision) && !isDeleted(revision) && isRevisionOfKind(revision, workload.kind);
  const orphans = items.filter(isOrphan);
  const adopted = await Promise.all(orphans.map((orphan) => adopt(ports.client, workload, orphan, signal)));
  return [...owned, ...adopted.flatMap((revision) => revision ?? [])];
}

const isDeleted = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;

/** undefined: it changed meanwhile; the next call sees how. */
async function adopt(
  client: KubernetesClient,
  workload: GameWorkload,
  orphan: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision | undefined> {
  const {
    apiVersion,
    kind,
    metadata: { name, uid = '' },
  } = workload;
  const owner = { apiVersion, kind, name, uid };
  const others = (orphan.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
  const ownerReferences = [...others, { ...owner, controller: true, blockOwnerDeletion: true }];
  try {
    const patch = mergePatch(orphan.metadata, { metadata: { ownerReferences } });
    return await client.patch(controllerRevisions, orphan.metadata, patch, { signal });
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  }
}

/**
 * null: the name is taken by something that is not ours, not equal or being deleted.
 * @throws ApiError also where the API refuses the object: another name would not help.
 */
export async function createOrFind(
  { client }: ReportPorts,
  workload: GameWorkload,
  wanted: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision | null> {
  try {
    return await client.create(controllerRevisions, wanted, { signal });
  } catch (error) {
    if (!isApiError(error, 'alreadyExists')) throw error;
    const found = await client.get(controllerRevisions, wanted.metadata, { signal });
    const isOurs = isControlledBy(found, workload.metadata.uid) && !isDeleted(found);
    const template = templateOf(found);
    return isOurs && template !== null && equalTemplates(template, workload.spec.template) ? found : null;
  }
}

export function tellRecordedAgain({ recorder }: ReportPorts, workload: GameWorkload, name: string): void {
  const note = `Revision ${name} was deleted while pods may run it, and is recorded again under its name.`;
  const regarding = referenceTo(workload);
  recorder.record({ regarding, type: 'Warning', reason: 'RevisionDeleted', action: 'RecordRevision', note });
}

/** Names of the revisions that no limit cuts, whether a pod carries them or not; `more` are those of the caller's own knowledge. */
export function liveNames({ status }: GameWorkload, more: (string | undefined)[]): Set<string> {
  const names = [...more, status?.canary?.revision, status?.currentRevision];
  return new Set(names.filter((name) => name !== undefined));
}

/**
 * Deletes what is beyond `revisionHistoryLimit`. `live` is kept, and so is what any pod carries, terminating ones included.
 * Each DELETE names uid and resourceVersion: a revision that was just made the newest again is not deleted.
 */
export async function truncateHistory(
  client: KubernetesClient,
  workload: GameWorkload,
  revisions: ControllerRevision[],
  live: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const limit = workload.spec.revisionHistoryLimit ?? HISTORY_LIMIT;
  const staying = revisions.filter((revision) => !isDeleted(revision));
  const named = staying.map((revision) => ({ name: revision.metadata.name, number: revision.revision, revision }));
  if (revisionsToDelete(named, live, limit).length === 0) return;
  const cuttable = named.map(({ name }) => name).filter((name) => !live.has(name));
  const kept = new Set([...live, ...(await carriedRevisions(client, workload, cuttable, signal))]);
  const deletions = revisionsToDelete(named, kept, limit).map(async ({ revision: { metadata } }) => {
    const { uid, resourceVersion } = metadata;
    await client.delete(controllerRevisions, metadata, { uid, resourceVersion, signal }).catch((error: unknown) => {
      if (!isLost(error)) throw error;
    });
  });
  await Promise.all(deletions);
}

/** Which of the names pods carry, whatever else their labels are: all but those of other workloads. */
async function carriedRevisions(
  client: KubernetesClient,
  { metadata: { namespace, uid } }: GameWorkload,
  names: string[],
  signal: AbortSignal,
): Promise<string[]> {
  const possible = names.filter(isLabelValue);
  if (possible.length === 0) return [];
  const labelSelector = `${REVISION_LABEL} in (${possible.join(',')})`;
  const { items } = await client.list(pods, { namespace, labelSelector, signal });
  const own = items.filter((pod) => isControlledBy(pod, uid) || !hasController(pod));
  return own.map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? '');
}
