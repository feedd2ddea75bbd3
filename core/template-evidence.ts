/**
 * What a pod tells of the template that it was made from, where its revision is gone (docs/adr/0017). Admission, the kubelet and
 * people write on pods, too. So a field that the template sets and the pod has otherwise shows that the pod was made from another
 * one, and anything else shows nothing; only a pod that the API itself would make alike proves that the template is the same.
 */
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import { canonicalJson } from './canonical-json.ts';
import { isClaimOf } from './claims.ts';
import { READINESS_GATE } from './keys.ts';
import { isGameStatefulSet } from './kinds.ts';
import { newPod } from './new-pod.ts';
import { withoutUnset } from './normalise.ts';
import { type Fields, fieldsOf, isFields, mapField, mapItems, mapObject } from './plain-json.ts';
import type { Revision } from './plan/types.ts';
import { withPodDefaults } from './pod-defaults.ts';
import { INDEX_VARIABLE } from './pod-index.ts';

/** Of one pod and not of its template: who it is, where it runs, and what is written when it runs already. */
const OF_THE_POD = ['nodeName', 'hostname', 'subdomain', 'schedulingGates', 'ephemeralContainers'];
/** Volumes that admission adds under a name of its own for each pod. */
const TOKEN_VOLUME = 'kube-api-access-';

/** The pod was made from another template than the revision's: a field that this one sets is another one there. */
export function isContradicted(workload: GameWorkload, revision: Revision, pod: Pod): boolean {
  const wanted = ofTemplate(workload, newPod(workload, revision, pod.metadata.name));
  return !hasMetadataOf(revision.template, pod) || !isWithin(wanted, ofTemplate(workload, pod));
}

/** The pod is one that the API would make from the template today; `example` is what it answered to a dry run. */
export function isProven(workload: GameWorkload, example: Pod, pod: Pod): boolean {
  const text = (of: Pod) => canonicalJson(withPodDefaults(ofTemplate(workload, of)));
  return hasMetadataOf(workload.spec.template, pod) && text(example) === text(pod);
}

function hasMetadataOf({ metadata }: PodTemplateSpec, pod: Pod): boolean {
  const { labels, annotations } = pod.metadata;
  return (
    isWithin(fieldsOf(metadata?.labels), labels ?? {}) && isWithin(fieldsOf(metadata?.annotations), annotations ?? {})
  );
}

function isWithin(wanted: unknown, found: unknown): boolean {
  if (isFields(wanted)) return isFields(found) && Object.keys(wanted).every((key) => isWithin(wanted[key], found[key]));
  if (!Array.isArray(wanted) || !wanted.every(isFields)) return canonicalJson(wanted) === canonicalJson(found);
  return Array.isArray(found) && wanted.every((item) => found.some((other) => isSameItem(item, other)));
}

const isSameItem = (wanted: Fields, found: unknown): boolean =>
  wanted.name === fieldsOf(found).name && isWithin(wanted, found);

/** The spec without what differs between pods of one template. */
function ofTemplate(workload: GameWorkload, { spec }: Pod): Fields {
  const own = Object.fromEntries(
    Object.entries(withoutUnset(fieldsOf(spec))).filter(([key]) => !OF_THE_POD.includes(key)),
  );
  const shared = ['containers', 'initContainers'].reduce(
    (fields: Fields, key) => mapField(fields, key, mapItems(withoutOwnFields)),
    mapField(
      own,
      'readinessGates',
      without('conditionType', (type) => type === READINESS_GATE),
    ),
  );
  const volumes = mapField(shared, 'volumes', without('name', isTokenVolume));
  return withoutUnset(mapField(volumes, 'volumes', mapItems(withoutClaimName(workload))));
}

const withoutOwnFields = (container: Fields): Fields =>
  mapField(mapField(container, 'volumeMounts', without('name', isTokenVolume)), 'env', without('name', isIndex));

const isTokenVolume = (name: unknown): boolean => String(name).startsWith(TOKEN_VOLUME);

const isIndex = (name: unknown): boolean => name === INDEX_VARIABLE;

const without = (key: string, isLeftOut: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) ? value.filter((item) => !isLeftOut(fieldsOf(item)[key])) : value;

/** Each pod of a set has claims of its own. */
const withoutClaimName = (workload: GameWorkload) => (volume: Fields) =>
  mapField(
    volume,
    'persistentVolumeClaim',
    mapObject(({ claimName, ...claim }) =>
      isGameStatefulSet(workload) && isClaimOf(workload, String(claimName)) ? claim : { claimName, ...claim },
    ),
  );
