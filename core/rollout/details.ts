/** The page that people read in the Temporal UI while a rollout runs: markdown, made from the state alone. */
import { currentStep, isoSeconds, type RolloutState } from './state.ts';
import type { Step, StepLogEntry } from './types.ts';
import { phaseOf, resumeCommand, sentenceOf } from './view.ts';

const ENTRIES_SHOWN = 40;

/** Bounded markdown: what it waits for, the command that goes on, the steps, what happened, what was ignored. */
export function detailsOf(state: RolloutState): string {
  return [
    `**${state.workload}** rollout ${state.number}: ${state.fromRevision} → ${state.toRevision}`,
    `**${phaseOf(state)}**: ${cell(sentenceOf(state))}.`,
    ...blockedLines(state),
    ...commandLines(state),
    stepTable(state),
    ...noticeLines(state),
    logTable(state.log),
  ].join('\n\n');
}

function blockedLines({ blocked, view }: RolloutState): string[] {
  const lines = blocked
    ? [`Nothing moves since ${isoSeconds(blocked.sinceMs)}: ${cell(blocked.message)} (${blocked.reason}).`]
    : [];
  return view.blocked ? [...lines, `${cell(view.blocked.message)} (${view.blocked.reason}).`] : lines;
}

/** The exact command for the present situation, with its step: nobody acts on another step than the one looked at. */
function commandLines(state: RolloutState): string[] {
  if (state.closed) return [];
  const command = resumeCommand(state);
  const named = (verb: string) => `\`${command.replace('--name resume', `--name ${verb}`)}\``;
  if (state.aborted) return [`To start again: ${named('retry')}`];
  if (state.hold) return [`To resume: ${named('resume')}`];
  if (state.pause?.reason === 'PausedByStepBasedHook')
    return [`To run the hook again: ${named('retry')}`, `To pass it: ${named('skip')}`];
  if (state.pause) return [`To resume: ${named('resume')}`];
  return [`To pause: ${named('pause')}`, `To abort: ${named('abort')}`];
}

function stepTable(state: RolloutState): string {
  const rows = state.steps.map((step, index) => `| ${index} | ${stepWords(step)} | ${stepStanding(state, index)} |`);
  const last = `| ${state.steps.length} | all pods | ${stepStanding(state, state.steps.length)} |`;
  return ['| step | what | |', '|---|---|---|', ...rows, last].join('\n');
}

function stepWords({ partition, hook, pause }: Step): string {
  const words = [];
  if (partition !== undefined) words.push(`partition ${partition}`);
  if (hook) words.push(`hook ${cell(hook.templateName)}`);
  if (pause) words.push(pause.durationSeconds === undefined ? 'pause' : `pause ${pause.durationSeconds} s`);
  return words.join(', ');
}

function stepStanding(state: RolloutState, index: number): string {
  if (index < state.stepIndex || state.closed?.outcome === 'Completed') return 'done';
  if (index > state.stepIndex) return '';
  return currentStep(state) && !state.aborted ? `**now** (${state.part})` : '**now**';
}

function logTable(log: StepLogEntry[]): string {
  const rows = log.slice(-ENTRIES_SHOWN).map((entry) => {
    const fields = [
      entry.step,
      entry.what,
      entry.startedAt,
      entry.endedAt ?? '',
      entry.outcome ?? 'open',
      entry.by ?? '',
      entry.reason ?? '',
    ];
    return `| ${fields.map((field) => cell(String(field)).slice(0, 120)).join(' | ')} |`;
  });
  return [
    '| step | what | began | ended | outcome | by (as claimed) | reason |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function noticeLines({ notices }: RolloutState): string[] {
  if (notices.length === 0) return [];
  return [['Ignored:', ...notices.map(({ atMs, text }) => `- ${isoSeconds(atMs)} ${cell(text)}`)].join('\n')];
}

/** Text of others cannot break the table or the page. */
const cell = (text: string) => text.replace(/[\r\n]+/g, ' ').replace(/[|<>]/g, (sign) => `\\${sign}`);
