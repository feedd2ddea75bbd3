/** Shapes of messages as they arrive: any client may send anything, and a wrong shape must not block a run. */
import type { HumanMessage } from '../core/rollout/types.ts';
import type { Allow, Blocked, Finished, Reached, Revise, Supersede, Wake } from './messages.ts';

const WORDS_KEPT = 200;
/** The longest name of a pod. */
const NAME_KEPT = 253;

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (value: unknown, type: 'string' | 'number' | 'boolean', ...names: string[]): boolean =>
  isFields(value) && names.every((name) => typeof value[name] === type);

export const isWake = (value: unknown): value is Wake => has(value, 'string', 'uid', 'reason');

export const isAllow = (value: unknown): value is Allow =>
  has(value, 'number', 'number', 'sequence') &&
  has(value, 'string', 'uid') &&
  isFields(value) &&
  isFields(value.allowance) &&
  isFields(value.view);

export const isReached = (value: unknown): value is Reached => has(value, 'number', 'number', 'sequence', 'partition');

export const isBlocked = (value: unknown): value is Blocked =>
  has(value, 'number', 'number', 'sequence') && has(value, 'string', 'reason', 'message');

export const isSupersede = (value: unknown): value is Supersede =>
  has(value, 'number', 'number') && has(value, 'string', 'revision') && has(value, 'boolean', 'rolledBack');

export const isFinished = (value: unknown): value is Finished => has(value, 'string', 'hookRun', 'phase');

export const isRevise = (value: unknown): value is Revise =>
  has(value, 'boolean', 'pausedByUser') &&
  isFields(value) &&
  (value.steps === undefined || areSteps(value)) &&
  (value.liftedPause === undefined || has(value.liftedPause, 'number', 'step', 'startedAtMs')) &&
  isDeadline(value.progressDeadlineSeconds);

const areSteps = ({ steps, stepsHash }: Fields) =>
  Array.isArray(steps) && steps.every(isFields) && typeof stepsHash === 'string';

/** Whole seconds: no timer could be set to anything else. */
const isDeadline = (value: unknown) =>
  value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) > 0);

/** What a person sent, cut to what fits a line; a sentence where it cannot be understood. */
export function readHumanMessage(value: unknown): HumanMessage | string {
  if (value === undefined || value === null) return {};
  if (!isFields(value)) return 'The message must be an object such as {"step":1,"by":"ana","reason":"looks good"}';
  const { by, reason, step, pod } = value;
  if (step !== undefined && !Number.isInteger(step))
    return `The step must be a whole number, not ${JSON.stringify(step)}`;
  if (pod !== undefined && typeof pod !== 'string') return `The pod must be a name, not ${JSON.stringify(pod)}`;
  const words = {
    ...wordsOf('by', by),
    ...wordsOf('reason', reason),
    ...(pod === undefined ? {} : { pod: pod.slice(0, NAME_KEPT) }),
  };
  return step === undefined ? words : { ...words, step: Number(step) };
}

const wordsOf = (name: 'by' | 'reason', value: unknown): Pick<HumanMessage, typeof name> =>
  value === undefined || value === null ? {} : { [name]: String(value).slice(0, WORDS_KEPT) };
