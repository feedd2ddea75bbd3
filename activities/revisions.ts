/**
 * The activity `recordRevision`: makes sure that a ControllerRevision stands for the spec's template and is the newest,
 * cuts the history, and asks the API whether it would take such a pod. Moves no pod.
 */
import { equalTemplates } from '../core/normalise.ts';
import type { Revision } from '../core/plan/types.ts';
import {
  findEqualRevision,
  newControllerRevision,
  newestRevision,
  nextRevisionNumber,
  templateOf,
  toRevisions,
} from '../core/revisions.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { mergePatch } from '../kubernetes/patches.ts';
import { controllerRevisions } from '../kubernetes/resource-types.ts';
import type { Attempt } from './attempt.ts';
import type { Ports } from './ports.ts';
import { ownedRevisions, truncateHistory } from './revision-history.ts';
import { isControlledBy, readWorkload } from './sources.ts';
import { laterVersion } from './store-fence.ts';
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

/**
 * Safe to repeat. `updateRevision` is empty where the object is gone, being deleted or another one: the next observation
 * says so.
 * @throws ApiError when the API cannot be reached or others change the same revisions; to be tried again.
 */
export async function recordRevision(
  { client, ...ports }: Ports,
  request: RecordRevisionRequest,
  { signal }: Attempt,
): Promise<RecordRevisionResult> {
  const workload = await readWorkload({ client, ...ports }, request.key);
  const isLive = workload?.metadata.uid === request.uid && workload.metadata.deletionTimestamp === undefined;
  if (workload === undefined || !isLive) return { updateRevision: '', written: {} };
  const recorded = await record(client, workload, signal);
  const { name } = recorded.object.metadata;
  await truncateHistory(client, workload, recorded.all, liveNames(workload, request, name), signal);
  const revision: Revision = { name, number: recorded.object.revision, template: workload.spec.template };
  const invalid = await proveTemplate(client, workload, revision, signal);
  return {
    updateRevision: name,
    written: { [controllerRevisions.plural]: highestVersion(recorded.all) },
    ...(invalid === undefined ? {} : { invalid }),
    ...(recorded.collisions === 0 ? {} : { collisionCount: recorded.collisions }),
  };
}

async function record(client: KubernetesClient, workload: GameDeployment, signal: AbortSignal): Promise<Recorded> {
  const owned = await ownedRevisions(client, workload, signal);
  const revisions = toRevisions(owned);
  const collisions = workload.status?.collisionCount ?? 0;
  const equal = findEqualRevision(revisions, workload.spec.template);
  const known = owned.find(({ metadata }) => metadata.name === equal?.name);
  if (known === undefined) return create(client, workload, owned, signal);
  if (equal === newestRevision(revisions)) return { object: known, all: owned, collisions };
  const renumbered = await renumber(client, known, nextRevisionNumber(owned), signal);
  return { object: renumbered, all: [...owned.filter((other) => other !== known), renumbered], collisions };
}

/** A template of before is asked for again: its revision becomes the newest, under its old name. */
async function renumber(client: KubernetesClient, known: ControllerRevision, revision: number, signal: AbortSignal) {
  return await client.patch(controllerRevisions, known.metadata, mergePatch(known.metadata, { revision }), { signal });
}

async function create(
  client: KubernetesClient,
  workload: GameDeployment,
  owned: ControllerRevision[],
  signal: AbortSignal,
): Promise<Recorded> {
  const first = workload.status?.collisionCount ?? 0;
  const number = nextRevisionNumber(owned);
  for (let collisions = first; collisions < first + MAX_COLLISIONS; collisions += 1) {
    const object = await createOrFind(client, workload, newControllerRevision(workload, number, collisions), signal);
    if (object !== null) return { object, all: [...owned, object], collisions };
  }
  throw new Error(`No name is free for a revision of ${workload.kind} ${workload.metadata.name}.`);
}

/** null: the name is taken by something that is not ours or not equal. */
async function createOrFind(
  client: KubernetesClient,
  workload: GameDeployment,
  wanted: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision | null> {
  try {
    return await client.create(controllerRevisions, wanted, { signal });
  } catch (error) {
    if (!isApiError(error, 'alreadyExists')) throw error;
    const found = await client.get(controllerRevisions, wanted.metadata, { signal });
    const isOurs = isControlledBy(found, workload.metadata.uid) && found.metadata.deletionTimestamp === undefined;
    const template = templateOf(found);
    return isOurs && template !== null && equalTemplates(template, workload.spec.template) ? found : null;
  }
}

function liveNames({ status }: GameDeployment, request: RecordRevisionRequest, update: string): Set<string> {
  const names = [update, request.stableRevision, status?.canary?.revision, status?.currentRevision];
  return new Set(names.filter((name) => name !== undefined));
}

const highestVersion = (revisions: ControllerRevision[]): string =>
  revisions.reduce((highest, { metadata }) => laterVersion(highest, metadata.resourceVersion ?? '0'), '0');
