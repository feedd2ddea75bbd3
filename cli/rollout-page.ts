/** One workload and its rollout as a page of text. Pure: all it shows is in the facts. */

import { holdfastCommand, inTemporalNamespace } from '../core/command-text.ts';
import { RESUME_ANNOTATION } from '../core/keys.ts';
import { toSteps } from '../core/rollout/steps-hash.ts';
import type { RolloutResult, Step, StepLogEntry } from '../core/rollout/types.ts';
import { resumeToken, signalCommand } from '../core/status/resume.ts';
import type { Condition } from '../crds/kubernetes.ts';
import { type RevisionCount, type RolloutFacts, targetOf } from './rollout-facts.ts';
import { age, ageOf, table } from './table.ts';

/** The page, without a line feed at its end. */
export function rolloutPage(facts: RolloutFacts, nowMs: number): string {
  return [
    headOf(facts),
    rolloutHead(facts, nowMs),
    stepTable(facts, nowMs),
    revisionTable(facts),
    conditionTable(facts),
    ...waysOn(facts),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headOf({ workload: { kind, metadata, spec, status = {} } }: RolloutFacts): string {
  const { generation = 0, namespace, name } = metadata;
  const seen = status.observedGeneration ?? 0;
  const behind = seen < generation ? `, not seen yet by the controller (status is of generation ${seen})` : '';
  const { readyReplicas = 0, updatedReplicas = 0 } = status;
  return `${kind} ${namespace}/${name}: ${readyReplicas} of ${spec.replicas ?? 1} ready, ${updatedReplicas} updated; generation ${generation}${behind}`;
}

function rolloutHead({ workload, rollout }: RolloutFacts, nowMs: number): string {
  switch (rollout.from) {
    case 'nothing':
      return 'No rollout: the first revision is in place, or none was recorded.';
    case 'result':
      return resultHead(rollout.result);
    case 'status': {
      const { currentRevision = '?', updateRevision = '?' } = workload.status ?? {};
      const way =
        currentRevision === updateRevision ? `At ${currentRevision}` : `Rollout ${currentRevision} → ${updateRevision}`;
      return `${way}, as the object's status says (Temporal: ${rollout.why})${sinceStatus(workload.status?.conditions)}`;
    }
    case 'run': {
      const { view, fromRevision, toRevision, blocked } = rollout.report;
      const lines = [
        `Rollout ${view.number}: ${fromRevision} → ${toRevision}, ${view.phase} for ${ageOf(rollout.startedAt, nowMs)}`,
        `Waits for: ${view.message}`,
      ];
      if (blocked)
        lines.push(`Nothing moves for ${age(blocked.sinceMs, nowMs)}: ${blocked.message} (${blocked.reason})`);
      return lines.join('\n');
    }
  }
}

const sinceStatus = (conditions: Condition[] = []): string => {
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  return progressing?.message ? `\n${progressing.message}` : '';
};

function resultHead({ outcome, number, fromRevision, toRevision, startedAt, endedAt }: RolloutResult): string {
  const took = age(Date.parse(startedAt), Date.parse(endedAt));
  return `Rollout ${number}: ${fromRevision} → ${toRevision}, ${outcome} at ${endedAt} after ${took}`;
}

/** A running rollout shows its steps, a closed one what was done. */
function stepTable(facts: RolloutFacts, nowMs: number): string {
  const { workload, rollout } = facts;
  if (rollout.from === 'result') return logTable(rollout.result.steps, nowMs);
  const isRun = rollout.from === 'run';
  const steps = isRun ? rollout.report.steps : toSteps(workload.spec);
  if (steps.length === 0 || rollout.from === 'nothing') return '';
  const index = isRun ? rollout.report.view.stepIndex : (workload.status?.currentStepIndex ?? steps.length);
  const log = isRun ? rollout.report.log : [];
  const isPaused = isRun
    ? rollout.report.view.pause !== undefined
    : (workload.status?.pauseConditions ?? []).length > 0;
  const rows = steps.map((step, at) => stepRow(step, at, { index, isPaused, log, nowMs }));
  return table(['', 'STEP', 'WHAT', 'STATE', 'SINCE', 'BY'], rows);
}

interface Standing {
  index: number;
  isPaused: boolean;
  log: StepLogEntry[];
  nowMs: number;
}

function stepRow(step: Step, at: number, { index, isPaused, log, nowMs }: Standing): string[] {
  const entries = log.filter((entry) => entry.step === at);
  const last = entries.at(-1);
  const words = stepWords(step);
  if (at > index) return ['·', String(at), words, '', '', ''];
  const since = ageOf(last?.endedAt ?? last?.startedAt, nowMs);
  const by = last?.by ?? '';
  if (at < index) return ['✔', String(at), words, last?.outcome ?? 'done', since, by];
  return ['▶', String(at), words, isPaused ? 'paused' : 'now', ageOf(entries[0]?.startedAt, nowMs), by];
}

function stepWords({ partition, hook, pause }: Step): string {
  const words = [];
  if (partition !== undefined) words.push(`partition ${partition}`);
  if (hook) words.push(`hook ${hook.templateName}`);
  if (pause) words.push(pause.durationSeconds === undefined ? 'pause' : `pause ${pause.durationSeconds}s`);
  return words.join(', ');
}

function logTable(log: StepLogEntry[], nowMs: number): string {
  const rows = log.map(({ step, what, startedAt, endedAt, outcome, by, reason }) => [
    ...[outcome === 'failed' || outcome === 'aborted' ? '✘' : '✔', String(step), what, outcome ?? 'open'],
    age(Date.parse(startedAt), endedAt === undefined ? nowMs : Date.parse(endedAt)),
    ...[by ?? '', reason ?? ''],
  ]);
  return rows.length === 0 ? '' : table(['', 'STEP', 'WHAT', 'OUTCOME', 'TOOK', 'BY', 'REASON'], rows);
}

function revisionTable(facts: RolloutFacts): string {
  const { workload, revisions } = facts;
  const role = ({ name }: RevisionCount) => {
    const isUpdate = name === targetOf(facts);
    if (name === workload.status?.currentRevision) return isUpdate ? 'stable, update' : 'stable';
    return isUpdate ? 'update' : '';
  };
  const rows = revisions.map((count) => [count.name, String(count.pods), String(count.ready), role(count)]);
  return rows.length === 0 ? 'No pods.' : table(['REVISION', 'PODS', 'READY', ''], rows);
}

/** A message that several conditions share is told once. */
function conditionTable({ workload: { status } }: RolloutFacts): string {
  const told = new Set<string>();
  const rows = (status?.conditions ?? []).map(({ type, status: value, reason = '', message = '' }) => {
    const shown = told.has(message) && message !== '' ? '(the same)' : message;
    told.add(message);
    return [type, value, reason, shown];
  });
  return rows.length === 0 ? '' : table(['CONDITION', 'STATUS', 'REASON', 'MESSAGE'], rows);
}

/** The ways to go on where it is paused or aborted, each to be pasted as it stands. */
function waysOn(facts: RolloutFacts): string[] {
  const { rollout, workload, temporalNamespace } = facts;
  const place = inTemporalNamespace(temporalNamespace);
  if (rollout.from === 'result' || rollout.from === 'nothing') return [];
  if (rollout.from === 'run' && rollout.report.view.phase === 'Aborted')
    return [
      block('To start again at step 0:', [
        holdfastCommand('retry', workload, ...place),
        signalCommand(workload, 'retry', { temporalNamespace }),
      ]),
    ];
  const reason = pauseReasonOf(facts);
  if (reason === undefined) return [];
  const isFailure = reason === 'PausedByStepBasedHook';
  const { step, ways } = waysToGoOn(facts);
  const again = [
    holdfastCommand('retry', workload, ...place, `--step ${step}`),
    holdfastCommand('abort', workload, ...place),
  ];
  return [
    ...(isFailure ? [block('To ask the hook again, or to take all pods back:', again)] : []),
    block(isFailure ? 'To go on without it, any of:' : 'To resume, any of:', ways),
  ];
}

const block = (title: string, lines: string[]): string => [title, ...lines].join('\n  ');

const pauseReasonOf = ({ workload: { status }, rollout }: RolloutFacts): string | undefined =>
  rollout.from === 'run' ? rollout.report.view.pause?.reason : status?.pauseConditions?.[0]?.reason;

function waysToGoOn({ workload, rollout, temporalNamespace }: RolloutFacts): { step: number; ways: string[] } {
  const { kind, metadata, spec, status } = workload;
  const isRun = rollout.from === 'run';
  const step = isRun ? rollout.report.view.stepIndex : (status?.currentStepIndex ?? 0);
  const revision = targetOf({ workload, rollout });
  const annotated = `${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`;
  const ways = [
    holdfastCommand('resume', workload, ...inTemporalNamespace(temporalNamespace), `--step ${step}`),
    signalCommand(workload, 'resume', { step, temporalNamespace }),
    `kubectl annotate ${annotated} --overwrite ${RESUME_ANNOTATION}=${resumeToken(revision, step)}`,
    ...(spec.updateStrategy?.paused === true ? ['spec.updateStrategy.paused: false'] : []),
  ];
  return { step, ways };
}
