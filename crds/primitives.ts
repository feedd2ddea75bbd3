/** Small values that several kinds share, each with its bound. The bounds keep the API server's CEL cost estimate low. */
import { z } from 'zod';
import type { IntOrString } from './kubernetes.ts';
import { withRules } from './rule.ts';

/** A whole number from 0 up, at most int32. */
export const count = z.int32().min(0);

/** An object name as Kubernetes allows it. */
export const objectName = z.string().min(1).max(253);

const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** CEL that asks whether the value of this CEL is one part of a name in DNS. */
export const isDnsLabelInCel = (value: string): string => `${value}.matches(r'${DNS_LABEL}')`;

export const isDnsLabel = (value: string): boolean => new RegExp(DNS_LABEL).test(value);

/** One part of a name in DNS, as names of volumes are. */
export const dnsLabel = withRules(z.string().min(1).max(63), [
  {
    cel: isDnsLabelInCel('self'),
    message: 'The name has only lower case letters, digits and -, and begins and ends with a letter or a digit.',
    reason: 'FieldValueInvalid',
    isGood: isDnsLabel,
  },
]);

/** RFC 3339. Kept as text: objects are plain JSON from end to end. */
export const timestamp = z.string().max(64).meta({ format: 'date-time' });

const DURATION = String.raw`^\+?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`;

/** A Go duration such as `90s` or `1h30m`; a minus sign is refused, since a hook cannot wait for the past. */
export const duration = withRules(z.string().max(64), [
  {
    cel: `self.matches(r'${DURATION}')`,
    message: 'A duration is a number with a unit, such as 30s, 500ms or 1h30m.',
    reason: 'FieldValueInvalid',
    isGood: (text) => new RegExp(DURATION).test(text),
  },
]);

/** A count or a percentage without bound: a surge may exceed the replicas. */
export const intOrPercent = intOrText('^[0-9]+%$', 'The value is a count from 0 up or a percentage, such as 2 or 25%.');

/** A count or a percentage of at most 100 %. */
export const intOrShare = intOrText(
  '^0*([0-9]{1,2}|100)%$',
  'The value is a count from 0 up or a percentage from 0% to 100%, such as 2 or 25%.',
);

function intOrText(pattern: string, message: string): z.ZodType<IntOrString, IntOrString> {
  return withRules(z.union([z.int32(), z.string().max(12)]), [
    {
      cel: `type(self) == int ? self >= 0 : self.matches(r'${pattern}')`,
      message,
      reason: 'FieldValueInvalid',
      isGood: (value) => (typeof value === 'number' ? value >= 0 : new RegExp(pattern).test(value)),
    },
  ]);
}

/** A list whose items are told apart by one field; server-side apply merges them by it. */
export function listByKey<S extends z.ZodType<Record<Key, unknown>>, Key extends string>(item: S, key: Key) {
  return z
    .array(item)
    .superRefine((items, context) => {
      for (const [index, value] of items.entries()) {
        if (items.findIndex((other) => other[key] === value[key]) === index) continue;
        context.addIssue({ code: 'custom', message: `Another item has the same ${key}.`, path: [index], input: value });
      }
    })
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
}
