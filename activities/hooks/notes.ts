/** What a finished run tells: the activity's answer to the workflow and the events on the HookRun (game-workloads §4). */

import { cutText } from '../../core/cut-text.ts';
import { shortHash } from '../../core/hash.ts';
import { expiresAtMs } from '../../core/hooks/expiry.ts';
import { DROPPED_ARGUMENTS_ANNOTATION } from '../../core/hooks/hook-run.ts';
import { measurementsMade } from '../../core/hooks/verdict.ts';
import { CANARY_STEP_LABEL, HOOK_RUN_TYPE_LABEL, WORKLOAD_REVISION_LABEL } from '../../core/keys.ts';
import { controllerOf } from '../../core/ownership.ts';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRun, HookRunStatus, MetricResult } from '../../crds/hook-run.ts';
import { type EventNote, referenceTo } from '../../kubernetes/event-notes.ts';
import type { HookRunVerdict, MetricProgress } from './types.ts';

/** What goes into a history stays there: enough to see what happened, no more. */
const SHOWN_METRICS = 16;
const SHOWN_MESSAGE_LENGTH = 160;

/** The verdict of a run that has ended. */
export function verdictOf(run: HookRun): HookRunVerdict {
  const { metadata, status } = run;
  const expiresAt = expiresAtMs(run);
  const labels = metadata.labels ?? {};
  const stepIndex = labels[CANARY_STEP_LABEL];
  const owner = controllerOf(run);
  return {
    phase: terminalPhase(status?.phase),
    message: status?.message ?? '',
    name: metadata.name,
    type: labels[HOOK_RUN_TYPE_LABEL],
    ...(stepIndex !== undefined && { stepIndex: Number(stepIndex) }),
    revision: labels[WORKLOAD_REVISION_LABEL],
    ...(owner !== undefined && { workload: { kind: owner.kind, name: owner.name } }),
    metrics: progressOf(status),
    ...(expiresAt !== undefined && { deleteAt: new Date(expiresAt).toISOString() }),
  };
}

/** The metrics of a run as the workflow shows them: phases, numbers and messages, never values. */
export function progressOf(status: HookRunStatus | undefined): MetricProgress[] {
  return (status?.metricResults ?? []).slice(0, SHOWN_METRICS).map((result) => {
    const { name, phase } = result;
    return { name, phase, measured: measurementsMade(result), ...lastOf(result) };
  });
}

/** What must change for the progress to be worth showing again; empty while nothing was measured. */
export function shownState({ metricResults = [] }: HookRunStatus): string {
  if (metricResults.length === 0) return '';
  return shortHash(JSON.stringify(metricResults.map(({ name, phase }) => [name, phase])));
}

function lastOf({ measurements = [] }: MetricResult): Pick<MetricProgress, 'last'> {
  const made = measurements.at(-1);
  if (made === undefined) return {};
  const { phase, finishedAt: at, message } = made;
  const shown = cutText(message ?? '', SHOWN_MESSAGE_LENGTH);
  return { last: { phase, ...(at !== undefined && { at }), ...(shown !== '' && { message: shown }) } };
}

/** Only a run that has ended has a verdict; anything else would be a fault of ours and must not pass for a success. */
function terminalPhase(phase: HookPhase | undefined): HookRunVerdict['phase'] {
  return phase === undefined || phase === 'Pending' || phase === 'Running' ? 'Error' : phase;
}

/** One event for each metric and one for the run, named as the existing operator names them. */
export function endNotes(run: HookRun): EventNote[] {
  const { phase = 'Error', message = '', metricResults = [] } = run.status ?? {};
  const metrics = metricResults.map((result) => note(run, result.phase, `metric ${result.name}`, result.message));
  return [...metrics, note(run, phase, 'hook run', message)];
}

/** Decision 35: who gave arguments that the template does not declare is told so. */
export function droppedArgumentsNote(run: HookRun): EventNote | undefined {
  const sentence = droppedArguments(run);
  if (sentence === undefined) return undefined;
  const regarding = referenceTo(run);
  return { regarding, type: 'Warning', reason: 'ArgumentsDropped', action: 'Measure', note: sentence };
}

/** The same for the HookRun's message. */
export function droppedArguments({ metadata }: HookRun): string | undefined {
  const names = metadata.annotations?.[DROPPED_ARGUMENTS_ANNOTATION];
  return names ? `arguments that the HookTemplate does not declare were dropped: ${names}` : undefined;
}

function note(run: HookRun, phase: HookPhase, subject: string, message = ''): EventNote {
  const isGood = phase === 'Successful' || phase === 'Terminated' || phase === 'Skipped';
  return {
    regarding: referenceTo(run),
    type: isGood ? 'Normal' : 'Warning',
    reason: isGood ? 'Complete' : 'Failed',
    action: 'Measure',
    note: message === '' ? `${subject}: ${phase}` : `${subject}: ${phase}, ${message}`,
  };
}
