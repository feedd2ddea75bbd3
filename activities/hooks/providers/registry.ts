/** Every provider with its measure function; another one is one more line. */
import type { MetricProvider } from '../../../crds/provider.ts';
import { measureJob } from './job.ts';
import { measureKubernetes } from './kubernetes.ts';
import { measurePrometheus } from './prometheus.ts';
import { type MeasureProvider, type ProviderAnswer, type ProviderContext, ProviderProblem } from './types.ts';
import { measureWeb } from './web.ts';

const PROVIDERS: { [Name in keyof MetricProvider]-?: MeasureProvider<NonNullable<MetricProvider[Name]>> } = {
  web: measureWeb,
  prometheus: measurePrometheus,
  kubernetes: measureKubernetes,
  job: measureJob,
  exec: async () => {
    throw new ProviderProblem('provider.exec', 'this provider is not implemented');
  },
};

/** Asks whom the metric names. @throws ProviderProblem, the signal's reason, and what is a fault of ours. */
export function askProvider(provider: MetricProvider, context: ProviderContext): Promise<ProviderAnswer> {
  const [name] = Object.keys(provider) as (keyof MetricProvider)[];
  const measure = name && (PROVIDERS[name] as MeasureProvider<unknown> | undefined);
  if (measure === undefined) throw new ProviderProblem('provider', 'no provider is given');
  return measure(provider[name as keyof MetricProvider], context);
}
