/** Makes one measurement of one metric: a provider is asked, its answer judged, and everything that is told freed of secrets. */
import { cutText } from '../../core/cut-text.ts';
import { type Assessment, assess } from '../../core/hooks/condition.ts';
import { describeFault, traceFault } from '../../core/hooks/fault.ts';
import { TemplateError } from '../../core/hooks/template.ts';
import type { FinishedMeasurement, OpenMeasurement } from '../../core/hooks/verdict.ts';
import type { Metric } from '../../crds/metric.ts';
import { askProvider } from './providers/registry.ts';
import { type ProviderAnswer, type ProviderContext, type ProviderPorts, ProviderProblem } from './providers/types.ts';
import type { SecretReader } from './secrets.ts';

export interface MeasurementPorts extends ProviderPorts {
  secrets: SecretReader;
}

/** What a measurement is made for. */
export type MeasurementOrder = Pick<ProviderContext, 'run' | 'args' | 'number' | 'begunAt'>;

/** What is kept of a measured value; the conditions see all of it. */
const MAX_VALUE_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 512;

/**
 * The measurement, whatever comes of it: a fault of ours is an Error, which its metric tolerates or not, and no metric beside it.
 * @throws the signal's reason when it is aborted: a measurement that was given up is none.
 */
export async function makeMeasurement(
  metric: Metric,
  order: MeasurementOrder,
  ports: MeasurementPorts,
  signal: AbortSignal,
): Promise<FinishedMeasurement | OpenMeasurement> {
  const begun = new Date(ports.nowMs()).toISOString();
  try {
    return await measure(metric, order, ports, { begun, signal });
  } catch (error) {
    signal.throwIfAborted();
    const { namespace, name } = order.run;
    ports.log.warn({ ...traceFault(error), namespace, hookRun: name, metric: metric.name }, 'a measurement broke down');
    const finishedAt = new Date(ports.nowMs()).toISOString();
    return { phase: 'Error', startedAt: begun, finishedAt, message: describeFault(error) };
  }
}

async function measure(
  metric: Metric,
  order: MeasurementOrder,
  ports: MeasurementPorts,
  { begun, signal }: { begun: string; signal: AbortSignal },
): Promise<FinishedMeasurement | OpenMeasurement> {
  const secrets = ports.secrets.open(order.run.namespace);
  const answer = await ask(metric, { ...order, ports, metricName: metric.name, secrets, signal });
  const nowMs = ports.nowMs();
  if ('pending' in answer) {
    const { pending, againInMs, startedAt } = answer;
    const resumeAt = new Date(nowMs + againInMs).toISOString();
    return { phase: 'Running', message: pending, resumeAt, ...(startedAt !== undefined && { startedAt }) };
  }
  const { phase, message } = judge(metric, answer);
  const shown = shownOf(answer);
  return {
    phase,
    startedAt: ('startedAt' in answer && answer.startedAt) || begun,
    finishedAt: new Date(nowMs).toISOString(),
    ...(message !== undefined && { message: cutText(secrets.redact(message), MAX_MESSAGE_LENGTH) }),
    ...(shown !== undefined && { value: cutText(secrets.redact(shown), MAX_VALUE_LENGTH) }),
  };
}

async function ask({ provider }: Metric, context: ProviderContext): Promise<ProviderAnswer> {
  try {
    return await askProvider(provider, context);
  } catch (error) {
    if (error instanceof ProviderProblem) return { verdict: 'Error', message: `${error.field}: ${error.message}` };
    if (error instanceof TemplateError) return { verdict: 'Error', message: error.message };
    throw error;
  }
}

type Judged = Exclude<ProviderAnswer, { pending: string }>;

function judge(metric: Metric, answer: Judged): Assessment {
  if ('verdict' in answer) return { phase: answer.verdict, message: answer.message };
  const { phase, message } = assess(metric, answer.value);
  return { phase, message: [message, answer.note].filter(Boolean).join('; ') || undefined };
}

function shownOf(answer: Judged): string | undefined {
  if (answer.shown !== undefined || 'verdict' in answer) return answer.shown;
  return typeof answer.value === 'string' ? answer.value : JSON.stringify(answer.value);
}
