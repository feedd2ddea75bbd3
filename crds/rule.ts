/**
 * A rule said twice from one place: as CEL for the API server and as a check for zod, with one message. For what OpenAPI
 * cannot say (several fields) or says in words that help nobody (patterns). Plain bounds stay plain zod constraints.
 */
import type { z } from 'zod';

type Reason = 'FieldValueInvalid' | 'FieldValueRequired';

/** @typeParam T the value the rule stands on (CEL's `self`). */
export interface Rule<T> {
  /** CEL; true means the value is good. */
  cel: string;
  /** One sentence that a user reads in the refusal. */
  message: string;
  reason: Reason;
  /** Where the API server points, below the value the rule stands on, such as `.updateStrategy.maxSurge`. */
  fieldPath?: string;
  /** The same rule for zod. Absent for rules that compare with the stored object (`oldSelf`). */
  isGood?: (value: T) => boolean;
}

/** Attaches rules to a schema; the schema's type stays what it was. */
export function withRules<S extends z.ZodType>(schema: S, rules: readonly Rule<z.output<S>>[]): S {
  const checked = schema.superRefine((value, context) => {
    for (const rule of rules) {
      if (rule.isGood?.(value) === false) {
        context.addIssue({ code: 'custom', message: rule.message, path: pathOf(rule.fieldPath), input: value });
      }
    }
  });
  return checked.meta({ 'x-kubernetes-validations': rules.map(toValidation) }) as S;
}

function toValidation(rule: Rule<never>): Record<string, string> {
  const { cel, message, reason, fieldPath } = rule;
  return { rule: cel, message, reason, ...(fieldPath === undefined ? {} : { fieldPath }) };
}

function pathOf(fieldPath: string | undefined): string[] {
  return fieldPath === undefined ? [] : fieldPath.split('.').filter((part) => part !== '');
}
