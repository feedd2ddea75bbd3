/** Nonsense in HookTemplates and HookRuns. */
import type { Nonsense } from './nonsense.ts';
import { type Manifest, makeHookRun, makeHookTemplate } from './objects.ts';

const METRIC = 'spec.metrics[0]';
const withMetric = (fields: Record<string, unknown>) => ({
  object: makeHookTemplate,
  spoil: (spec: Manifest['spec']) => Object.assign(spec.metrics[0], fields),
});

export const NONSENSE_IN_HOOKS: readonly Nonsense[] = [
  { name: 'no metrics', object: makeHookTemplate, spoil: (spec) => (spec.metrics = []), wantPath: 'spec.metrics' },
  {
    name: 'two metrics of one name',
    object: makeHookTemplate,
    spoil: (spec) => spec.metrics.push(structuredClone(spec.metrics[0])),
    wantPath: 'spec.metrics[1]',
  },
  { name: 'a metric without a provider', ...withMetric({ provider: undefined }), wantPath: `${METRIC}.provider` },
  {
    name: 'a metric with an empty provider',
    ...withMetric({ provider: {} }),
    wantPath: `${METRIC}.provider`,
    wantMessage: 'exactly one of web, prometheus, kubernetes and exec',
  },
  {
    name: 'a metric with two providers',
    ...withMetric({ provider: { web: { url: 'http://game.example/' }, exec: { command: ['true'] } } }),
    wantPath: `${METRIC}.provider`,
    wantMessage: 'exactly one of web, prometheus, kubernetes and exec',
  },
  {
    name: 'a web check without an address',
    ...withMetric({ provider: { web: {} } }),
    wantPath: `${METRIC}.provider.web.url`,
  },
  {
    name: 'a Kubernetes check with an unknown function',
    ...withMetric({ provider: { kubernetes: { function: 'delete', fields: [] } } }),
    wantPath: `${METRIC}.provider.kubernetes.function`,
  },
  {
    name: 'many measurements without an interval',
    ...withMetric({ count: 2 }),
    wantPath: `${METRIC}.interval`,
    wantMessage: 'needs an interval',
  },
  ...['-5s', '5', '5 s', 'soon', '1d', 's'].map((interval) => ({
    name: `an interval of ${JSON.stringify(interval)}`,
    ...withMetric({ interval }),
    wantPath: `${METRIC}.interval`,
    wantMessage: 'a number with a unit',
  })),
  {
    name: 'an initial delay without a unit',
    ...withMetric({ initialDelay: '10' }),
    wantPath: `${METRIC}.initialDelay`,
    wantMessage: 'a number with a unit',
  },
  { name: 'a negative count', ...withMetric({ count: -1 }), wantPath: `${METRIC}.count` },
  ...['successfulLimit', 'failureLimit', 'inconclusiveLimit', 'consecutiveErrorLimit'].map((limit) => ({
    name: `a negative ${limit}`,
    ...withMetric({ [limit]: -1 }),
    wantPath: `${METRIC}.${limit}`,
  })),
  ...['successfulLimit', 'failureLimit', 'inconclusiveLimit'].map((limit) => ({
    name: `a ${limit} above the count`,
    ...withMetric({ count: 3, interval: '1s', [limit]: 4 }),
    wantPath: `${METRIC}.${limit}`,
    wantMessage: `${limit} cannot exceed count`,
  })),
  {
    name: 'a run of successes of length zero',
    ...withMetric({ consecutiveSuccessfulLimit: 0 }),
    wantPath: `${METRIC}.consecutiveSuccessfulLimit`,
  },
  {
    name: 'an unknown policy',
    object: makeHookTemplate,
    spoil: (spec) => (spec.policy = 'Random'),
    wantPath: 'spec.policy',
  },
  {
    name: 'an argument without a name',
    object: makeHookTemplate,
    spoil: (spec) => (spec.args = [{ value: 'x' }]),
    wantPath: 'spec.args[0].name',
  },
  {
    name: 'a HookRun whose metric asks nobody',
    object: makeHookRun,
    spoil: (spec) => (spec.metrics[0].provider = {}),
    wantPath: `${METRIC}.provider`,
    wantMessage: 'exactly one of web, prometheus, kubernetes and exec',
  },
  {
    name: 'a HookRun that is over before it begins',
    object: makeHookRun,
    spoil: (spec) => (spec.activeDeadlineSeconds = 0),
    wantPath: 'spec.activeDeadlineSeconds',
  },
];
