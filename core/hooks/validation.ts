/**
 * What is wrong with a HookTemplate or HookRun, beyond what its schema can say: each problem with the path of its field.
 * A run with a problem ends with Error before anything is asked. Pure.
 */

import type { HookRunSpec } from '../../crds/hook-run.ts';
import type { HookArgument, HookTemplateSpec } from '../../crds/hook-template.ts';
import type { Metric } from '../../crds/metric.ts';
import { isBuiltInArgument } from './arguments.ts';
import { CONDITION_VARIABLES } from './condition.ts';
import { parseDurationMs } from './duration.ts';
import { parseExpression } from './expression/parser.ts';
import { describeFault } from './fault.ts';
import { attempt, type Complain, type HookProblem, type Knowledge } from './problems.ts';
import { checkProvider } from './provider-rules.ts';
import { argumentNames, templateRenderer } from './template.ts';

/** Beyond it there is no time to wait for, and far beyond it no date that could be written. */
const MAX_DURATION_MS = 8760 * 3_600_000;

/** Problems of a template. Arguments may still be open, but every tag must name one that can be given. */
export function validateHookTemplate(spec: HookTemplateSpec): HookProblem[] {
  const declared = new Set((spec.args ?? []).map(({ name }) => name));
  return collect((complain) => {
    const fill = (path: string, text: string) => {
      const names = argumentNames(text);
      const unknown = names.find((name) => !declared.has(name) && !isBuiltInArgument(name));
      if (unknown !== undefined) complain(path, `The argument ${unknown} is not declared in spec.args.`);
      return names.length === 0 ? text : undefined;
    };
    checkMetrics(spec.metrics, complain, () => ({ fill }));
  });
}

/** Problems of a run: every argument must have its value. */
export function validateHookRun(spec: HookRunSpec): HookProblem[] {
  const args = argumentMap(spec.args);
  return collect((complain) => {
    for (const [index, { name, value }] of (spec.args ?? []).entries()) {
      if (value === undefined) complain(`spec.args[${index}].value`, `The argument ${name} has no value.`);
    }
    if (!['', 'Parallel', 'Ordered'].includes(spec.policy ?? '')) {
      complain('spec.policy', 'The policy must be Parallel or Ordered.');
    }
    checkMetrics(spec.metrics, complain, () => {
      const render = templateRenderer(args);
      return { fill: (_path, text) => render(text), args };
    });
  });
}

/** All problems in one line, for a HookRun's message: `spec.metrics[0].interval: …` */
export function describeProblems(problems: readonly HookProblem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join(' ');
}

/** The arguments of a run as templates take them. */
export function argumentMap(args: readonly HookArgument[] = []): ReadonlyMap<string, string> {
  return new Map(args.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])));
}

function collect(check: (complain: Complain) => void): HookProblem[] {
  const problems: HookProblem[] = [];
  const complain: Complain = (path, message, kind = 'Invalid') => problems.push({ kind, path, message });
  try {
    check(complain);
  } catch (error) {
    complain('spec', `It could not be checked: ${describeFault(error)}.`);
  }
  return problems;
}

/** `knowledgeOf`: made anew for each metric. */
function checkMetrics(metrics: readonly Metric[] = [], complain: Complain, knowledgeOf: () => Knowledge): void {
  if (metrics.length === 0) complain('spec.metrics', 'At least one metric is needed.');
  const names = new Set<string>();
  for (const [index, metric] of metrics.entries()) {
    const path = `spec.metrics[${index}]`;
    if (names.has(metric.name)) complain(`${path}.name`, `The name ${metric.name} is given twice.`);
    names.add(metric.name);
    checkTiming(metric, path, complain);
    checkLimits(metric, path, complain);
    checkConditions(metric, path, complain);
    checkProvider(metric, `${path}.provider`, complain, knowledgeOf());
  }
}

function checkTiming(metric: Metric, path: string, complain: Complain): void {
  for (const field of ['interval', 'initialDelay'] as const) {
    const text = metric[field];
    const durationMs = text ? parseDurationMs(text) : 0;
    if (durationMs === undefined) {
      complain(`${path}.${field}`, `${JSON.stringify(text)} is not a duration such as 30s or 1m30s.`);
    } else if (durationMs > MAX_DURATION_MS) complain(`${path}.${field}`, 'Must not be longer than a year (8760h).');
  }
  if ((metric.count ?? 0) > 1 && !metric.interval) {
    complain(`${path}.interval`, 'A count above 1 needs an interval.');
  }
}

const LIMITS_WITHIN_COUNT = ['failureLimit', 'successfulLimit', 'inconclusiveLimit'] as const;
const NUMBERS = ['count', ...LIMITS_WITHIN_COUNT, 'consecutiveErrorLimit', 'consecutiveSuccessfulLimit'] as const;

function checkLimits(metric: Metric, path: string, complain: Complain): void {
  for (const field of NUMBERS) {
    const value = metric[field];
    const least = field === 'consecutiveSuccessfulLimit' ? 1 : 0;
    if (value !== undefined && (!Number.isInteger(value) || value < least)) {
      complain(`${path}.${field}`, `Must be a whole number of at least ${least}.`);
    }
  }
  const count = metric.count ?? 0;
  for (const field of LIMITS_WITHIN_COUNT) {
    if (count > 0 && (metric[field] ?? 0) > count) {
      complain(`${path}.${field}`, `Cannot exceed count ${count}, it could never be reached.`);
    }
  }
}

function checkConditions(metric: Metric, path: string, complain: Complain): void {
  for (const field of ['successCondition', 'failureCondition'] as const) {
    const source = metric[field];
    if (!source) continue;
    attempt(`${path}.${field}`, complain, () => parseExpression(source, CONDITION_VARIABLES));
  }
}
