/**
 * Revisions: the versions of a workload's template, as ControllerRevisions (protocol §5, game-workloads §1.5). Names are
 * made once and never recomputed; which revision a template equals is always computed by the code of today.
 */
import type { GameWorkloadStatus } from '../crds/game-workload.ts';
import type { ControllerRevision, KubernetesObject, PodTemplateSpec } from '../crds/kubernetes.ts';
import { shortHash } from './hash.ts';
import { REVISION_HASH_LABEL, REVISION_KIND_ANNOTATION } from './keys.ts';
import { validLabels } from './label-syntax.ts';
import { comparableTemplate } from './normalise.ts';
import { type Fields, fieldsOf, isFields } from './plain-json.ts';
import type { Blocker, Revision } from './plan/types.ts';

/** A revision name is the value of a pod's label (decision 5). */
const NAME_LENGTH = 63;
/** Of the workload's annotations, those that are about the workload itself and not about its revision. */
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const OUR_PREFIX = 'holdfast.dev/';

/** A revision with what tells the older of two equal ones, and whether it stays. */
export interface RecordedRevision extends Revision {
  /** RFC 3339, whole seconds. */
  createdAt: string;
  /** Set while it is being deleted: the finalizers that hold it. It is readable until it is gone, and nothing brings it back. */
  leaving?: { finalizers: string[] };
}

/** What a revision is made from. */
export interface Templated extends KubernetesObject {
  spec: { template: PodTemplateSpec };
}

/**
 * The template that a ControllerRevision holds: ours, or an existing operator's with `$patch: replace`, as an object or as
 * its JSON text. null where none can be read.
 */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | null {
  const template = fieldsOf(fieldsOf(dataOf(revision.data)).spec).template;
  if (!isFields(template) || !isFields(template.spec) || !Array.isArray(template.spec.containers)) return null;
  const { $patch: _directive, ...rest } = template;
  return rest as Fields & PodTemplateSpec;
}

function dataOf(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** The readable ones among the objects, lowest number first. */
export function toRevisions(objects: ControllerRevision[]): RecordedRevision[] {
  const revisions = objects.flatMap((object) => {
    const template = templateOf(object);
    if (template === null) return [];
    const { name, creationTimestamp: createdAt = '', deletionTimestamp, finalizers = [] } = object.metadata;
    const leaving = deletionTimestamp === undefined ? {} : { leaving: { finalizers } };
    return [{ name, number: object.revision, template, createdAt, ...leaving }];
  });
  return revisions.sort(byNumber);
}

/** The name breaks a tie, so that every process sees one order. */
const byNumber = (left: Revision, right: Revision) => left.number - right.number || (left.name < right.name ? -1 : 1);

const byAge = (left: RecordedRevision, right: RecordedRevision) =>
  left.createdAt === right.createdAt ? (left.name < right.name ? -1 : 1) : left.createdAt < right.createdAt ? -1 : 1;

/**
 * The recorded revision that asks for the same pod. Of several the newest number wins where it is among them, so that a
 * release which learns that two revisions are equal moves no pod; else the oldest object, whatever its number became.
 * One that is being deleted stands for its template only where no other does and `standing` names it: pods then keep its
 * name, under which it is recorded again when it is gone.
 */
export function findEqualRevision<R extends RecordedRevision>(
  revisions: R[],
  template: PodTemplateSpec,
  standing: ReadonlySet<string>,
): R | null {
  const wanted = comparableTemplate(template);
  const equal = revisions.filter((revision) => comparableTemplate(revision.template) === wanted);
  const newest = newestStaying(revisions);
  const [oldest] = equal.filter(isStaying).sort(byAge);
  return (
    equal.find((revision) => revision === newest) ?? oldest ?? equal.find(({ name }) => standing.has(name)) ?? null
  );
}

const isStaying = ({ leaving }: RecordedRevision): boolean => leaving === undefined;

/** The revision with the highest number, of those that stay. */
const newestStaying = <R extends RecordedRevision>(revisions: R[]): R | undefined =>
  revisions.filter(isStaying).sort(byNumber).at(-1);

/**
 * The template asked for is recorded, and as the newest: an older one that is asked for again is to be renumbered. One that is
 * being deleted is let be: it cannot become the newest, and to wait for that would never end.
 */
export const isRecorded = (revisions: RecordedRevision[], revision: RecordedRevision | null): boolean =>
  revision !== null && (!isStaying(revision) || newestStaying(revisions)?.name === revision.name);

/** Names of the revisions that a workload stands on: its pods run them, or a rollout goes from one to the other. */
export function standingNames(status: GameWorkloadStatus | undefined, stableRevision?: string): Set<string> {
  const { currentRevision, updateRevision, canary } = status ?? {};
  const names = [stableRevision, currentRevision, updateRevision, canary?.revision];
  return new Set(names.filter((name) => name !== undefined));
}

/**
 * Why no more pods move to the update revision: it is being deleted. The stable one is no reason: pods that are lost meanwhile
 * are replaced at it, since they would be at that template anyway.
 */
export function leavingBlocker(update: RecordedRevision | null, stableRevision: string): Blocker | null {
  if (update?.leaving === undefined || update.name === stableRevision) return null;
  const { finalizers } = update.leaving;
  const held = finalizers.length === 0 ? '' : ` and held by ${finalizers.join(', ')}`;
  const message = `Revision ${update.name} is being deleted${held}: no more pods move to it until it is gone and recorded again.`;
  return { reason: 'RevisionMissing', message };
}

/** Number of a revision that is to be the newest. */
export const nextRevisionNumber = (revisions: { revision: number }[]): number =>
  revisions.reduce((highest, { revision }) => Math.max(highest, revision), 0) + 1;

/** Row 48: of the revisions that pods carry, the one with the lowest number. */
export const oldestLiveRevision = <R extends Revision>(revisions: R[], carried: ReadonlySet<string>): R | undefined =>
  [...revisions].sort(byNumber).find((revision) => carried.has(revision.name));

/**
 * Rows 49 and 51: revisions beyond the history limit, the oldest first. Live ones (carried by a pod, stable, update) are
 * kept whatever the limit, and do not count against it.
 */
export function revisionsToDelete<R extends { name: string; number: number }>(
  revisions: R[],
  live: ReadonlySet<string>,
  historyLimit: number,
): R[] {
  const history = revisions.filter((revision) => !live.has(revision.name)).sort((a, b) => a.number - b.number);
  return history.slice(0, Math.max(0, history.length - historyLimit));
}

/**
 * Name of a new revision, `<workload>-<hash>`, cut to fit a label value. `collisions` is how many names were found taken by
 * something else; it gives another name each time.
 */
export function revisionName(workload: string, template: PodTemplateSpec, collisions: number): string {
  const seed = collisions === 0 ? '' : String(collisions);
  const hash = shortHash(`${workload}\n${comparableTemplate(template)}${seed}`);
  const prefix = workload.slice(0, NAME_LENGTH - hash.length - 1).replace(/[-.]+$/, '');
  return `${prefix}-${hash}`;
}

/**
 * The object to create. Its labels are the template's, so that the workload's selector finds it after an orphan delete; but for
 * those that the API takes from nobody, so that a template with one can be recorded, proven and told of. Its data is the patch that replaces the template, as the existing operators and tools that roll back apply it (game-workloads
 * §1.5). Its keys are sorted, those of the template as the API gave them: bytes in another order are another text for the API,
 * which would then let nobody patch the revision (see kubernetes/json-text.ts).
 */
export function newControllerRevision(workload: Templated, number: number, name: string): ControllerRevision {
  const { template } = workload.spec;
  const { namespace, name: owner, uid = '' } = workload.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      namespace,
      name,
      labels: {
        ...validLabels(template.metadata?.labels),
        [REVISION_HASH_LABEL]: name.slice(name.lastIndexOf('-') + 1),
      },
      annotations: {
        ...revisionAnnotations(workload.metadata.annotations),
        [REVISION_KIND_ANNOTATION]: workload.kind ?? '',
      },
      ownerReferences: [ownerOf(workload, owner, uid)],
    },
    revision: number,
    data: { spec: { template: { $patch: 'replace', ...template } } },
  };
}

/** Was it made for a workload of this kind? One that an existing operator made does not say. */
export const isRevisionOfKind = ({ metadata }: ControllerRevision, kind: string): boolean =>
  (metadata.annotations?.[REVISION_KIND_ANNOTATION] ?? kind) === kind;

const ownerOf = ({ apiVersion = '', kind = '' }: KubernetesObject, name: string, uid: string) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const revisionAnnotations = (annotations: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED_ANNOTATION && !key.startsWith(OUR_PREFIX)),
  );
