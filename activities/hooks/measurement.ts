/** Makes one measurement of one metric: arguments into the provider, its answer against the conditions. */
import type { Dispatcher } from 'undici';
import { type Assessment, assess } from '../../core/hooks/condition.ts';
import { renderTemplate, TemplateError } from '../../core/hooks/template.ts';
import type { FinishedMeasurement } from '../../core/hooks/verdict.ts';
import type { Metric, WebProvider } from '../../crds/metric.ts';
import { measureWeb, type ProviderAnswer } from './web.ts';

export interface MeasurementPorts {
  /** Epoch milliseconds. */
  nowMs: () => number;
  /** Connections of the web provider. */
  dispatcher: Dispatcher;
}

/** What is kept of a measured value; the conditions see all of it. */
const MAX_VALUE_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 512;

/**
 * The measurement, whatever comes of it.
 * @throws the signal's reason when it is aborted: a measurement that was given up is none.
 */
export async function makeMeasurement(
  metric: Metric,
  args: ReadonlyMap<string, string>,
  ports: MeasurementPorts,
  signal: AbortSignal,
): Promise<FinishedMeasurement> {
  const startedAt = new Date(ports.nowMs()).toISOString();
  const answer = await ask(metric, args, ports, signal);
  const { phase, message }: Assessment =
    'problem' in answer ? { phase: 'Error', message: answer.problem } : assess(metric, answer.value);
  return {
    phase,
    startedAt,
    finishedAt: new Date(ports.nowMs()).toISOString(),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH) }),
    ...('value' in answer && { value: shorten(answer.value) }),
  };
}

/** Every provider is asked here; another one is one more line (issue "Hooks, whole"). */
async function ask(
  { provider }: Metric,
  args: ReadonlyMap<string, string>,
  { dispatcher }: MeasurementPorts,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  if (provider.web === undefined) return { problem: 'the provider is not implemented' };
  try {
    return await measureWeb(renderWeb(provider.web, args), { dispatcher, signal });
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.message };
    throw error;
  }
}

/** Templating is allowed in the URL and in header values only (game-workloads §3.4). */
function renderWeb(web: WebProvider, args: ReadonlyMap<string, string>): WebProvider {
  return {
    ...web,
    url: renderTemplate(web.url, args),
    headers: web.headers?.map(({ key, value }) => ({ key, value: renderTemplate(value, args) })),
  };
}

function shorten(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH - 1)}…` : value;
}
