/** Where runs of before are replayed by the rules of their time (`temporal workflow show` tells by its marker which are meant). */
import { patched, workflowInfo } from '@temporalio/workflow';
import { RULES_MEMO, WORKLOAD_RULES } from '../rules.ts';

const rules = (): number => Number(workflowInfo().memo?.[RULES_MEMO] ?? 1);

/** @throws a plain Error, so that the task is tried again until a worker comes that knows these rules. */
export function refuseUnknownRules(): void {
  if (rules() > WORKLOAD_RULES) throw new Error(`rules ${rules()} are not known here`);
}

/** A run of these rules or later ones needs no marker: each costs two events. */
const isSince = (marker: string, known = 2): boolean => rules() >= known || patched(marker);

/** Waves end early when they are forbidden, and reports beside waves grow rare (docs/adr/0006 and 0009). */
export const wavesEndEarly = (): boolean => isSince('waves-end-early');

/** Pauses are written into specs that ask for it (docs/adr/0014). Asked only where there is something to write. */
export const writesPauses = (): boolean => isSince('write-paused');

/** `abort` is a word about hooks of pods: before, a workload took no notice of it (docs/adr/0016). */
export const abortsHooks = (): boolean => isSince('aborts-hooks');

/** Of a pause in the spec it is remembered that it was lifted when it was over, or is being taken back (docs/adr/0014). */
export const remembersPauses = (): boolean => isSince('remembers-pauses');

/** Missing pods are not made at the revision that a rollout is about to leave. Asked only where some are missing. */
export const waitsForFirstWord = (): boolean => isSince('waits-for-first-word', 3);

/** A template that was refused is proven again where it is stable already, and at a resync. Asked only where one was refused. */
export const provesAgain = (): boolean => isSince('proves-again', 3);

/** Short bookkeeping is done beside the workflow, and a status is not written that the next moment overtakes (docs/adr/0018). */
export const isThrifty = (): boolean => rules() >= 2;

/** What a status says of a wave is written after it and not during it: beside the workflow, which has nothing to carry out then. */
export const reportsAfterWaves = (): boolean => rules() >= 3;

/** What is to be expected at once is looked for, and another workflow told, beside the workflow. */
export const looksBeside = (): boolean => rules() >= 4;
