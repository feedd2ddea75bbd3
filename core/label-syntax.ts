/**
 * What the API takes as a label and as the name of an object. The CRDs refuse the rest (crds/label.ts), but objects that are
 * stored already, under a laxer CRD, may have it. Pure.
 */
const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_NAME = `${DNS_LABEL}([.]${DNS_LABEL})*`;

const KEY = new RegExp(`^(${DNS_NAME}/)?${NAME}$`);
const VALUE = new RegExp(`^(${NAME})?$`);
const OBJECT_NAME = new RegExp(`^${DNS_NAME}$`);
const MAX_DNS_NAME = 253;

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
