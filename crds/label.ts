/**
 * Labels as the API takes them. One that it does not take is refused at apply: it would refuse every pod and every revision that
 * carries it, and every list that asks for it.
 */
import { z } from 'zod';
import { LABEL_KEY_PATTERN, LABEL_VALUE_PATTERN, MAX_DNS_NAME } from './api.ts';
import { withRules } from './rule.ts';

const KEY = new RegExp(LABEL_KEY_PATTERN);
const VALUE = new RegExp(LABEL_VALUE_PATTERN);

const KEY_MESSAGE =
  'The key of a label is a name of at most 63 letters, digits, -, _ and ., such as tier, or such a name after a DNS name and a slash.';

const isLabelKey = (key: string): boolean => KEY.test(key) && key.indexOf('/') <= MAX_DNS_NAME;

const isKeyInCel = (key: string): string =>
  `${key}.matches(r'${LABEL_KEY_PATTERN}') && ${key}.indexOf('/') <= ${MAX_DNS_NAME}`;

export const labelKey = withRules(z.string().min(1).max(317), [
  { cel: isKeyInCel('self'), message: KEY_MESSAGE, reason: 'FieldValueInvalid', isGood: isLabelKey },
]);

export const labelValue = withRules(z.string().max(63), [
  {
    cel: `self.matches(r'${LABEL_VALUE_PATTERN}')`,
    message:
      'The value of a label has only letters, digits, -, _ and ., and begins and ends with a letter or a digit where it is not empty.',
    reason: 'FieldValueInvalid',
    isGood: (value) => VALUE.test(value),
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
