/**
 * The activity `recordRevision`: makes sure that a ControllerRevision stands for the spec's template and is the newest,
 * cuts the history, and asks the API whether it would take such a pod. Moves no pod.
 */
import { isRevisionName } from '../core/label-syntax.ts';
import type { Revision } from '../core/plan/types.ts';
import {
  findEqualRevision,
  isRecorded,
  newControllerRevision,
  nextRevisionNumber,
  revisionName,
  standingNames,
  toRevisions,
} from '../core/revisions.ts';
import { recordedGeneration } from '../core/status/stalled.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { mergePatch } from '../kubernetes/patches.ts';
import { controllerRevisions } from '../kubernetes/resource-types.ts';
import type { Attempt } from './attempt.ts';
import { restoreProven } from './lost-revisions.ts';
import { CONTROLLER_INDEX } from './ports.ts';
import type { ReportPorts } from './report.ts';
import { createOrFind, liveNames, ownedRevisions, tellRecordedAgain, truncateHistory } from './revision-history.ts';
import { readWorkload } from './sources.ts';
import { FENCE_WAIT_MS, laterVersion } from './store-fence.ts';
import { proveTemplate } from './template-proof.ts';
import type { RecordRevisionRequest, RecordRevisionResult } from './types.ts';

/** Names that may be taken by something else before we give up on a workload; each has a hash of its own. */
const MAX_COLLISIONS = 100;

/** The revision that stands for the template now, as the API has it. */
interface Recorded {
  object: ControllerRevision;
  /** All revisions of the workload, this one included. */
  all: ControllerRevision[];
  collisions: number;
}

/** One call: the workload as the API has it, and the names of the revisions that it stands on. */
interface Work {
  ports: ReportPorts;
  workload: GameWorkload;
  standing: ReadonlySet<string>;
  signal: AbortSignal;
}

/**
 * Safe to repeat. `updateRevision` is empty where the object is gone, being deleted or another one: the next observation
 * says so.
 * @throws ApiError when the API cannot be reached or others change the same revisions; to be tried again.
 */
export async function recordRevision(
  ports: ReportPorts,
  request: RecordRevisionRequest,
  attempt: Attempt,
): Promise<RecordRevisionResult> {
  const workload = await readLive(ports, request);
  return workload === undefined ? NOTHING_RECORDED : await recordOf(ports, workload, request, attempt);
}

export const NOTHING_RECORDED: RecordRevisionResult = { updateRevision: '', written: {} };

/** As it is now; undefined where it is gone, being deleted or another one. @throws ApiError when the API cannot be reached. */
export async function readLive(
  ports: ReportPorts,
  { key, uid }: Pick<RecordRevisionRequest, 'key' | 'uid'>,
): Promise<GameWorkload | undefined> {
  const workload = await readWorkload(ports, key);
  const isLive = workload?.metadata.uid === uid && workload.metadata.deletionTimestamp === undefined;
  return isLive ? workload : undefined;
}

/** `recordRevision` of a workload that was read just now. @throws as that. */
export async function recordOf(
  ports: ReportPorts,
  workload: GameWorkload,
  request: RecordRevisionRequest,
  { signal }: Attempt,
): Promise<RecordRevisionResult> {
  const { client } = ports;
  const work = { ports, workload, standing: standingNames(workload.status, request.stableRevision), signal };
  const recorded = await record(work);
  const { name } = recorded.object.metadata;
  await truncateHistory(client, workload, recorded.all, liveNames(workload, [name, request.stableRevision]), signal);
  const revision: Revision = { name, number: recorded.object.revision, template: workload.spec.template };
  const invalid = await proveTemplate(ports, workload, revision, signal);
  await awaitStore(work);
  return {
    updateRevision: name,
    written: { [controllerRevisions.plural]: highestVersion(recorded.all) },
    ...(invalid === undefined ? {} : { invalid }),
    ...(recorded.collisions === 0 ? {} : { collisionCount: recorded.collisions }),
  };
}

async function record(work: Work): Promise<Recorded> {
  const { workload, standing, signal, ports } = work;
  const found = await ownedRevisions(ports, workload, signal);
  const owned = [...found, ...(await restoreProven(ports, workload, found, signal))];
  const revisions = toRevisions(owned);
  const collisions = workload.status?.collisionCount ?? 0;
  const equal = findEqualRevision(revisions, workload.spec.template, standing);
  const known = owned.find(({ metadata }) => metadata.name === equal?.name);
  if (known === undefined) return create(work, owned);
  if (isRecorded(revisions, equal)) return { object: known, all: owned, collisions };
  const renumbered = await renumber(ports.client, known, nextRevisionNumber(owned), signal);
  return { object: renumbered, all: [...owned.filter((other) => other !== known), renumbered], collisions };
}

/** A template of before is asked for again: its revision becomes the newest, under its old name. */
async function renumber(client: KubernetesClient, known: ControllerRevision, revision: number, signal: AbortSignal) {
  return await client.patch(controllerRevisions, known.metadata, mergePatch(known.metadata, { revision }), { signal });
}

async function create(work: Work, owned: ControllerRevision[]): Promise<Recorded> {
  const { workload } = work;
  const number = nextRevisionNumber(owned);
  for (const { name, collisions } of namesToTry(workload)) {
    const wanted = newControllerRevision(workload, number, name);
    const object = await createOrFind(work.ports, workload, wanted, work.signal);
    if (object === null) continue;
    if (work.standing.has(name)) tellRecordedAgain(work.ports, workload, name);
    return { object, all: [...owned, object], collisions };
  }
  throw new Error(`No name is free for a revision of ${workload.kind} ${workload.metadata.name}.`);
}

/**
 * First the name that the status gives to this very spec, where the API takes it: its revision was deleted, and pods that carry the
 * name must not be moved for another one.
 */
function* namesToTry({ metadata, spec, status = {} }: GameWorkload) {
  const { collisionCount: first = 0, updateRevision = '' } = status;
  if (isRevisionName(updateRevision) && recordedGeneration(status) === metadata.generation)
    yield { name: updateRevision, collisions: first };
  for (let collisions = first; collisions < first + MAX_COLLISIONS; collisions += 1)
    yield { name: revisionName(metadata.name, spec.template, collisions), collisions };
}

/**
 * Waits until the store here agrees that the template is recorded, at most 10 s: an observation that does not see it yet, or
 * sees what was just deleted, would ask again at once, and so on. A store that is not fresh is not what it will look at.
 */
async function awaitStore({ ports, workload, standing, signal }: Work): Promise<void> {
  const { controllerRevisions: store } = ports.stores;
  const isSeen = () => {
    const revisions = toRevisions([...store.byIndex(CONTROLLER_INDEX, workload.metadata.uid ?? '')]);
    return isRecorded(revisions, findEqualRevision(revisions, workload.spec.template, standing));
  };
  const isDone = () => isSeen() || !store.isFresh();
  await store.waitFor(isDone, { timeoutMs: FENCE_WAIT_MS, signal });
}

const highestVersion = (revisions: ControllerRevision[]): string =>
  revisions.reduce((highest, { metadata }) => laterVersion(highest, metadata.resourceVersion ?? '0'), '0');
