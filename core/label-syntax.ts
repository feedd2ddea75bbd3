/**
 * What the API takes as a label and as the name of an object. The CRDs refuse the rest by the same patterns (crds/label.ts), but
 * objects that are stored already, under a laxer CRD, may have it. Pure.
 */
import { DNS_NAME_PATTERN, LABEL_KEY_PATTERN, LABEL_VALUE_PATTERN, MAX_DNS_NAME } from '../crds/api.ts';

const KEY = new RegExp(LABEL_KEY_PATTERN);
const VALUE = new RegExp(LABEL_VALUE_PATTERN);
const OBJECT_NAME = new RegExp(DNS_NAME_PATTERN);

export const isLabelKey = (key: string): boolean => KEY.test(key) && key.indexOf('/') <= MAX_DNS_NAME;

/** Objects of laxer CRDs may hold anything in its place. */
export const isLabelValue = (value: unknown): value is string => typeof value === 'string' && VALUE.test(value);

/** Those of the labels that the API takes. */
export const validLabels = (labels: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => isLabelKey(entry[0]) && isLabelValue(entry[1])),
  );

/** Can a ControllerRevision have this name? A label of a pod may hold what is none. */
export const isRevisionName = (name: string): boolean => OBJECT_NAME.test(name) && name.length <= MAX_DNS_NAME;
