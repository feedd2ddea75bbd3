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

/** What is known of the arguments when a spec is judged: all of a run, none of a template. */
export interface Knowledge {
  /** The text with its arguments filled in; undefined while some are open. @throws TemplateError */
  fill: (path: string, text: string) => string | undefined;
  /** Of a run. */
  args?: ReadonlyMap<string, string>;
}

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
