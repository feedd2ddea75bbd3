/** How a fault in a HookTemplate or HookRun is told: the path of the field and a sentence. Pure. */

import { ExpressionError } from './expression/errors.ts';
import { FieldPathError } from './field-path.ts';
import { JsonPathError } from './json-path.ts';
import { TemplateError } from './template.ts';

/** `NotImplemented`: the manifest is right, this version cannot carry it out. */
export interface HookProblem {
  kind: 'Invalid' | 'NotImplemented';
  /** Such as `spec.metrics[0].successCondition`. */
  path: string;
  /** One sentence without the path. */
  message: string;
}

export type Complain = (path: string, message: string, kind?: HookProblem['kind']) => void;

/** Looks at a text that may hold arguments. @throws TemplateError */
export type CheckText = (path: string, text: string) => void;

const OURS = [ExpressionError, JsonPathError, TemplateError, FieldPathError];

/** Turns the errors of our own small languages into problems; any other error is a bug and passes. */
export function attempt(path: string, complain: Complain, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof Error) || !OURS.some((ours) => error instanceof ours)) throw error;
    complain(path, `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
  }
}
