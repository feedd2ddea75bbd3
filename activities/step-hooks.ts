/**
 * The activities `createStepHookRun` and `cancelStepHookRun`: the HookRun of a canary step. Whatever keeps it from being
 * created is one sentence with the field's path; the rollout pauses with it, and nothing else stops.
 */
import { canonicalJson } from '../core/canonical-json.ts';
import { describeFault, traceFault } from '../core/hooks/fault.ts';
import { buildHookRun } from '../core/hooks/hook-run.ts';
import { isTerminal } from '../core/hooks/phases.ts';
import { describeProblems, validateHookTemplate } from '../core/hooks/validation.ts';
import { isControlledBy } from '../core/ownership.ts';
import { hashSteps, stepsOf } from '../core/rollout/steps-hash.ts';
import { sentence } from '../core/status/sentence.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookStep } from '../crds/hook-step.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { referenceTo } from '../kubernetes/event-notes.ts';
import type { EventRecorder } from '../kubernetes/event-recorder.ts';
import { mergePatch } from '../kubernetes/patches.ts';
import { hookRuns, hookTemplates } from '../kubernetes/resource-types.ts';
import type { Attempt } from './attempt.ts';
import type { Ports } from './ports.ts';
import type { StepHookRequest, StepHookResult } from './rollout-types.ts';
import { readWorkload } from './sources.ts';

/** Which rollout a run belongs to: the verdict of an earlier one must not be taken for this one's. */
const ROLLOUT_NUMBER_LABEL = 'holdfast.dev/rollout-number';
/** Attempts in which the rollout may hear of steps that were edited a moment ago. */
const EDIT_ATTEMPTS = 4;
/** Names beside the first: `.1`, `.2` … (row 114). */
const MAX_SUFFIX = 100;

export interface StepHookPorts extends Ports {
  recorder: Pick<EventRecorder, 'record'>;
}

/** To be tried again in a moment. */
class NotHeardYet extends Error {}

type Blocked = Extract<StepHookResult, { blocked: string }>;

const blocked = (reason: string, message: string): Blocked => ({ blocked: reason, message: sentence(message) });

/**
 * Safe to repeat: a run of the same rollout, step and attempt is found again by its name and label.
 * @throws ApiError to be tried again; NotHeardYet while the rollout has yet to hear of an edit of its steps.
 */
export async function createStepHookRun(
  ports: StepHookPorts,
  request: StepHookRequest,
  attempt: Attempt,
): Promise<StepHookResult> {
  try {
    return await createOnce(ports, request, attempt);
  } catch (error) {
    if (attempt.signal.aborted || isApiError(error) || error instanceof NotHeardYet) throw error;
    // A fault of ours comes again with each attempt: the rollout would wait in silence.
    const { namespace, name } = request.key;
    ports.log.warn({ ...traceFault(error), namespace, name }, 'the HookRun of a step could not be made');
    const path = `spec.updateStrategy.canary.steps[${request.stepIndex}].hook`;
    return blocked('HookRunNotCreated', `${path}: its HookRun could not be made: ${describeFault(error)}`);
  }
}

async function createOnce(ports: StepHookPorts, request: StepHookRequest, attempt: Attempt): Promise<StepHookResult> {
  const workload = await readWorkload(ports, request.key);
  if (workload?.metadata.uid !== request.uid) return blocked('WorkloadGone', 'The workload is gone');
  const step = stepOf(workload, request);
  if (step === null) return await changed(attempt);
  const template = await readTemplate(ports, workload, step, request.stepIndex);
  if ('blocked' in template) return template;
  return await createRun(ports, { workload, template, step, request, signal: attempt.signal });
}

/** null: the steps are not the ones that the rollout knows, or this one has no hook. */
function stepOf({ spec }: GameWorkload, { stepIndex, stepsHash }: StepHookRequest): HookStep | null {
  const steps = stepsOf(spec);
  return hashSteps(steps) === stepsHash ? (steps[stepIndex]?.hook ?? null) : null;
}

/** The edit is on its way to the rollout; only if it never arrives is it worth telling. */
async function changed({ number }: Attempt): Promise<StepHookResult> {
  const message = 'spec.updateStrategy.canary.steps was changed, and the rollout has not heard of it yet';
  if (number < EDIT_ATTEMPTS) throw new NotHeardYet(message);
  return blocked('StepsChanged', message);
}

async function readTemplate(
  { client }: StepHookPorts,
  { metadata: { namespace } }: GameWorkload,
  { templateName: name }: HookStep,
  stepIndex: number,
): Promise<HookTemplate | Blocked> {
  const path = `spec.updateStrategy.canary.steps[${stepIndex}].hook.templateName`;
  try {
    const template = await client.get(hookTemplates, { namespace, name });
    const problems = validateHookTemplate(template.spec);
    if (problems.length === 0) return template;
    const isMissing = problems.every(({ kind }) => kind === 'NotImplemented');
    const reason = isMissing ? 'NotImplemented' : 'HookTemplateInvalid';
    return blocked(reason, `${path} names HookTemplate ${name}, which cannot be run: ${describeProblems(problems)}`);
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
    return blocked('HookTemplateMissing', `${path} names HookTemplate ${name}, which does not exist`);
  }
}

interface RunOrder {
  workload: GameWorkload;
  template: HookTemplate;
  step: HookStep;
  request: StepHookRequest;
  signal: AbortSignal;
}

async function createRun(ports: StepHookPorts, order: RunOrder): Promise<StepHookResult> {
  const { workload, template, step, request } = order;
  const { revision, stepIndex, attempt } = request;
  const built = buildHookRun({
    template,
    step,
    owner: workload,
    purpose: { type: 'canary', revision, stepIndex, attempt },
  });
  if ('unresolved' in built) {
    return blocked(
      'HookArgumentUnresolved',
      `spec.updateStrategy.canary.steps[${stepIndex}].hook.args: ${built.message}`,
    );
  }
  const wanted = numbered(built.hookRun, request.number);
  for (let suffix = 0; suffix <= MAX_SUFFIX; suffix += 1) {
    const found = await createOrFind(ports, suffixed(wanted, suffix), order);
    if (found === null) continue;
    if (built.dropped.length > 0) tellDropped(ports, workload, template, built.dropped);
    return resultOf(found);
  }
  return blocked('HookRunNameTaken', `No name is free for HookRun ${wanted.metadata.name}`);
}

const numbered = (run: HookRun, number: number): HookRun => ({
  ...run,
  metadata: { ...run.metadata, labels: { ...run.metadata.labels, [ROLLOUT_NUMBER_LABEL]: String(number) } },
});

const suffixed = (run: HookRun, suffix: number): HookRun =>
  suffix === 0 ? run : { ...run, metadata: { ...run.metadata, name: `${run.metadata.name}.${suffix}` } };

/** null: the name belongs to something else, or to a run that ended for an earlier rollout. */
async function createOrFind(
  { client }: StepHookPorts,
  wanted: HookRun,
  { workload, signal }: RunOrder,
): Promise<HookRun | null> {
  try {
    return await client.create(hookRuns, wanted, { signal });
  } catch (error) {
    if (!isApiError(error, 'alreadyExists')) throw error;
    const found = await client.get(hookRuns, wanted.metadata, { signal });
    return isControlledBy(found, workload.metadata.uid) && isUsable(found, wanted) ? found : null;
  }
}

/** Row 114: ours from an attempt before this one, or one that still runs the very same checks. */
function isUsable(found: HookRun, wanted: HookRun): boolean {
  if (found.metadata.deletionTimestamp !== undefined) return false;
  const numberOf = ({ metadata: { labels } }: HookRun) => labels?.[ROLLOUT_NUMBER_LABEL];
  if (numberOf(found) === numberOf(wanted)) return true;
  return !isTerminal(found.status?.phase) && canonicalJson(found.spec) === canonicalJson(wanted.spec);
}

function resultOf({ metadata, status }: HookRun): StepHookResult {
  const { phase, message } = status ?? {};
  return {
    hookRun: metadata.name,
    ...(phase === undefined ? {} : { phase }),
    ...(message === undefined ? {} : { message: sentence(message) }),
  };
}

/** Decision 35. */
function tellDropped(
  { recorder }: StepHookPorts,
  workload: GameWorkload,
  template: HookTemplate,
  dropped: string[],
): void {
  const note = sentence(`HookTemplate ${template.metadata.name} does not declare ${dropped.join(', ')}: left out`);
  const regarding = referenceTo(workload);
  recorder.record({ regarding, type: 'Warning', reason: 'HookArgumentDropped', action: 'CreateHookRun', note });
}

/** Ends a run that nobody waits for any more; one that has ended or is gone is left alone. @throws ApiError to be tried again. */
export async function cancelStepHookRun(
  { client }: Pick<Ports, 'client'>,
  { namespace, hookRun: name }: { namespace: string; hookRun: string },
  { signal }: Attempt,
): Promise<void> {
  try {
    const run = await client.get(hookRuns, { namespace, name }, { signal });
    if (isTerminal(run.status?.phase) || run.spec.terminate === true) return;
    const patch = mergePatch({ uid: run.metadata.uid }, { spec: { terminate: true } });
    await client.patch(hookRuns, { namespace, name }, patch, { signal });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
