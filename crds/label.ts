/**
 * Labels as the API takes them. One that it does not take is refused at apply: it would refuse every pod and every revision that
 * carries it, and every list that asks for it.
 */
import { z } from 'zod';
import { withRules } from './rule.ts';

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const PREFIX = `${DNS_LABEL}([.]${DNS_LABEL})*`;
const LABEL_KEY = `^(${PREFIX}/)?${NAME}$`;
const LABEL_VALUE = `^(${NAME})?$`;
const MAX_PREFIX = 253;

const KEY_MESSAGE =
  'The key of a label is a name of at most 63 letters, digits, -, _ and ., such as tier, or such a name after a DNS name and a slash.';

const isLabelKey = (key: string): boolean => new RegExp(LABEL_KEY).test(key) && key.indexOf('/') <= MAX_PREFIX;

const isKeyInCel = (key: string): string => `${key}.matches(r'${LABEL_KEY}') && ${key}.indexOf('/') <= ${MAX_PREFIX}`;

export const labelKey = withRules(z.string().min(1).max(317), [
  { cel: isKeyInCel('self'), message: KEY_MESSAGE, reason: 'FieldValueInvalid', isGood: isLabelKey },
]);

export const labelValue = withRules(z.string().max(63), [
  {
    cel: `self.matches(r'${LABEL_VALUE}')`,
    message:
      'The value of a label has only letters, digits, -, _ and ., and begins and ends with a letter or a digit where it is not empty.',
    reason: 'FieldValueInvalid',
    isGood: (value) => new RegExp(LABEL_VALUE).test(value),
  },
]);

/** The rule on its keys stands on the map: no other place of a schema sees them. */
export const labelMap = withRules(z.record(z.string(), labelValue).meta({ maxProperties: 64 }), [
  {
    cel: `self.all(key, ${isKeyInCel('key')})`,
    message: KEY_MESSAGE,
    reason: 'FieldValueInvalid',
    isGood: (labels) => Object.keys(labels).every(isLabelKey),
  },
]);
