/** How marks are written on pods and taken off again. Pure. */
import { MOVE_ANNOTATION, POD_DELETING_ANNOTATION, UPDATED_ANNOTATION } from '../keys.ts';
import type { Mark } from './types.ts';

/** Autoscalers leave a pod alone that is chosen to go; one that was updated stays. */
export const markAnnotations = (mark: Mark): Record<string, string> =>
  mark.kind === 'updated'
    ? { [UPDATED_ANNOTATION]: JSON.stringify(mark) }
    : { [MOVE_ANNOTATION]: JSON.stringify(mark), [POD_DELETING_ANNOTATION]: 'true' };

/** The pod is not chosen any more. */
export const UNCHOSEN: Readonly<Record<string, null>> = { [MOVE_ANNOTATION]: null, [POD_DELETING_ANNOTATION]: null };

/** Nothing on the pod tells of us. */
export const WITHOUT_MARKS: Readonly<Record<string, null>> = { ...UNCHOSEN, [UPDATED_ANNOTATION]: null };
