/**
 * When two templates ask for the same pod (protocol §5). The result is only compared, never stored or sent: templates are
 * recorded as the user wrote them, so that a later release may compare better without moving a pod.
 *
 * What the API itself cannot tell from an absent field counts as absent: nulls, empty lists and maps, empty texts, and
 * false or zero in fields that have no third state. Existing operators recorded templates through types that leave those
 * out, so comparing more strictly would move pods on taking over. Empty objects are kept: `emptyDir: {}` means something.
 */
import type { PodTemplateSpec } from '../crds/kubernetes.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Fields, fieldsOf, isFields } from './plain-json.ts';
import { withPodDefaults } from './pod-defaults.ts';
import { canonicalQuantity } from './quantity.ts';

/** Fields whose keys are the user's: values are never judged, an empty one is absent. */
const MAPS = new Set(['labels', 'annotations', 'nodeSelector', 'matchLabels', 'volumeAttributes', 'options']);
const QUANTITY_MAPS = new Set(['limits', 'requests', 'overhead']);
const QUANTITIES = new Set(['sizeLimit', 'divisor']);
/** Objects that the API always writes, empty or not. */
const ALWAYS_WRITTEN = new Set(['resources', 'metadata']);
const TWO_STATE = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty', 'readOnly']);
const ZERO_IS_UNSET = new Set([
  'hostPort',
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
]);
/** Texts for which empty differs from absent. */
const EMPTY_MEANS = new Set(['storageClassName', 'runtimeClassName', 'volumeAttributesClassName', 'apiGroup']);

/** The template in the form that is compared: cleaned, quantities in one spelling, the API's static defaults filled in. */
export function normaliseTemplate(template: PodTemplateSpec): Fields {
  const cleaned = withoutUnset(fieldsOf(template));
  return { ...cleaned, metadata: fieldsOf(cleaned.metadata), spec: withPodDefaults(fieldsOf(cleaned.spec)) };
}

/** True where both templates ask for the same pod. */
export const equalTemplates = (left: PodTemplateSpec, right: PodTemplateSpec): boolean =>
  comparableTemplate(left) === comparableTemplate(right);

/** One text per class of equal templates. Changes between releases: never store it. */
export const comparableTemplate = (template: PodTemplateSpec): string => canonicalJson(normaliseTemplate(template));

/** Without what the API cannot tell from an absent field, quantities in one spelling; no default is filled in. */
export function withoutUnset(fields: Fields): Fields {
  const entries = Object.entries(fields)
    .map(([key, value]): [string, unknown] => [key, cleanValue(key, value)])
    .filter(([key, value]) => !isUnset(key, value));
  return Object.fromEntries(entries);
}

function cleanValue(key: string, value: unknown): unknown {
  if (QUANTITIES.has(key)) return canonicalQuantity(value);
  if (isFields(value)) {
    if (QUANTITY_MAPS.has(key)) return mapValues(value, canonicalQuantity);
    return MAPS.has(key) ? mapValues(value, (item) => item) : withoutUnset(value);
  }
  return Array.isArray(value) ? value.map((item) => (isFields(item) ? withoutUnset(item) : item)) : value;
}

const mapValues = (map: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(
    Object.entries(map)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, change(value)]),
  );

function isUnset(key: string, value: unknown): boolean {
  if (value === null || value === undefined || key === '$patch') return true;
  if (value === '') return !EMPTY_MEANS.has(key);
  if (value === false) return TWO_STATE.has(key);
  if (value === 0) return ZERO_IS_UNSET.has(key);
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.keys(value).length === 0 && isAbsentWhenEmpty(key);
}

const isAbsentWhenEmpty = (key: string) => MAPS.has(key) || QUANTITY_MAPS.has(key) || ALWAYS_WRITTEN.has(key);
