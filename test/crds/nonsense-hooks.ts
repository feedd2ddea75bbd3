/** Nonsense in HookTemplates and HookRuns. */
import type { Nonsense } from './nonsense.ts';
import { type Changes, makeHookRun, makeHookTemplate } from './objects.ts';

const METRIC = 'spec.metrics[0]';
const ONE_PROVIDER = 'exactly one of web, prometheus, kubernetes, job and exec';
const WITH_UNIT = 'a number with a unit';

/** A HookTemplate whose only metric has fields of this kind; `field` is the one that the refusal names. */
function wrongMetric(name: string, field: string, values: Changes, wantMessage?: string): Nonsense {
  const set = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${METRIC}.${key}`, value]));
  return { name, object: makeHookTemplate, set, wantPath: `${METRIC}.${field}`, wantMessage };
}

const web = { url: 'http://game.example/' };
const secret = { name: 's', key: 'k' };

const providers: Nonsense[] = [
  wrongMetric('a metric without a provider', 'provider', { provider: undefined }),
  wrongMetric('a metric with an empty provider', 'provider', { provider: {} }, ONE_PROVIDER),
  wrongMetric('two providers', 'provider', { provider: { web, exec: { command: ['true'] } } }, ONE_PROVIDER),
  wrongMetric('a web check without an address', 'provider.web.url', { provider: { web: {} } }),
  wrongMetric('a negative timeout', 'provider.web.timeoutSeconds', { 'provider.web.timeoutSeconds': -1 }),
  wrongMetric(
    'a header with two values',
    'provider.web.headers[0]',
    { 'provider.web.headers': [{ key: 'X', value: 'v', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    'either a value or valueFrom',
  ),
  wrongMetric('a header without a value', 'provider.web.headers[0]', { 'provider.web.headers': [{ key: 'X' }] }),
  wrongMetric('an unknown method', 'provider.web.method', { 'provider.web.method': 'BREW' }),
  wrongMetric('a status that is none', 'provider.web.expectedStatuses[0]', { 'provider.web.expectedStatuses': [20] }),
  wrongMetric('no statuses at all', 'provider.web.expectedStatuses', { 'provider.web.expectedStatuses': [] }),
  wrongMetric(
    'a redirect that is expected',
    'provider.web.expectedStatuses[1]',
    { 'provider.web.expectedStatuses': [200, 302] },
    'A redirect is followed',
  ),
  wrongMetric('a GET with a body', 'provider.web.body', { 'provider.web.body': '{}' }, 'has no body'),
  wrongMetric(
    'a HEAD with a body',
    'provider.web.body',
    { 'provider.web.method': 'HEAD', 'provider.web.body': '' },
    'has no body',
  ),
  wrongMetric(
    'a path into the answer to a HEAD',
    'provider.web.jsonPath',
    { 'provider.web.method': 'HEAD', 'provider.web.jsonPath': '{$}' },
    'no body to look at',
  ),
  wrongMetric('a header without a name', 'provider.web.headers[0].key', {
    'provider.web.headers': [{ key: '', value: 'v' }],
  }),
  wrongMetric('a Secret without a name', 'provider.web.tls.caSecret.name', {
    'provider.web.tls': { caSecret: { name: '', key: 'ca.crt' } },
  }),
  wrongMetric('a key of no Secret', 'provider.prometheus.bearerTokenSecret.name', {
    provider: { prometheus: { bearerTokenSecret: { key: 'token' } } },
  }),
  wrongMetric('half of basic auth', 'provider.prometheus.basicAuth.password', {
    provider: { prometheus: { basicAuth: { username: secret } } },
  }),
  wrongMetric('a time limit in words', 'provider.prometheus.timeoutSeconds', {
    provider: { prometheus: { timeoutSeconds: '5s' } },
  }),
  wrongMetric(
    'two ways to prove oneself',
    'provider.prometheus',
    { provider: { prometheus: { bearerTokenSecret: secret, basicAuth: { username: secret, password: secret } } } },
    'not both',
  ),
  wrongMetric('an unknown meaning of nothing', 'provider.prometheus.emptyResult', {
    provider: { prometheus: { emptyResult: 'Maybe' } },
  }),
  wrongMetric('a Job without a pod', 'provider.job.spec.template', { provider: { job: { spec: {} } } }),
  wrongMetric('a field without a value', 'provider.kubernetes.fields[0].value', {
    provider: { kubernetes: { function: 'get', fields: [{ path: 'status.phase' }] } },
  }),
  wrongMetric('a path of a field longer than the language allows', 'provider.kubernetes.fields[0].path', {
    provider: { kubernetes: { function: 'get', fields: [{ path: 'a'.repeat(4097), value: 'v' }] } },
  }),
  wrongMetric('an unknown function', 'provider.kubernetes.function', {
    provider: { kubernetes: { function: 'delete', fields: [] } },
  }),
];

const LIMITS = ['successfulLimit', 'failureLimit', 'inconclusiveLimit'];

const numbers: Nonsense[] = [
  wrongMetric('many measurements without an interval', 'interval', { count: 2 }, 'needs an interval'),
  wrongMetric('a negative count', 'count', { count: -1 }),
  ...[...LIMITS, 'consecutiveErrorLimit'].map((limit) => wrongMetric(`a negative ${limit}`, limit, { [limit]: -1 })),
  ...LIMITS.map((limit) =>
    wrongMetric(`a ${limit} above the count`, limit, { count: 3, interval: '1s', [limit]: 4 }, 'cannot exceed count'),
  ),
  wrongMetric('no successes in a row', 'consecutiveSuccessfulLimit', { consecutiveSuccessfulLimit: 0 }),
  ...['-5s', '5', '5 s', 'soon', '1d', 's', '.s', ''].map((interval) =>
    wrongMetric(`an interval of ${JSON.stringify(interval)}`, 'interval', { interval }, WITH_UNIT),
  ),
  wrongMetric('a count in words', 'count', { count: 'three', interval: '1s' }),
  wrongMetric('half a failure', 'failureLimit', { failureLimit: 0.5 }),
  wrongMetric('a condition that is no text', 'successCondition', { successCondition: true }),
  wrongMetric('a condition longer than the language allows', 'failureCondition', {
    failureCondition: 'a'.repeat(4097),
  }),
  wrongMetric('a metric without a name', 'name', { name: '' }),
  wrongMetric('an initial delay without a unit', 'initialDelay', { initialDelay: '10' }, WITH_UNIT),
];

const templates: Nonsense[] = [
  { name: 'no metrics', object: makeHookTemplate, set: { 'spec.metrics': [] }, wantPath: 'spec.metrics' },
  {
    name: 'two metrics of one name',
    object: makeHookTemplate,
    set: { 'spec.metrics[1]': { name: 'players', provider: { web } } },
    wantPath: 'spec.metrics[1]',
  },
  { name: 'an unknown policy', object: makeHookTemplate, set: { 'spec.policy': 'Random' }, wantPath: 'spec.policy' },
  {
    name: 'an argument without a name',
    object: makeHookTemplate,
    set: { 'spec.args': [{ value: 'x' }] },
    wantPath: 'spec.args[0].name',
  },
];

const runs: Nonsense[] = [
  {
    name: 'a HookRun whose metric asks nobody',
    object: makeHookRun,
    set: { [`${METRIC}.provider`]: {} },
    wantPath: `${METRIC}.provider`,
    wantMessage: ONE_PROVIDER,
  },
  {
    name: 'a HookRun that ends before it can be deleted',
    object: makeHookRun,
    set: { 'spec.ttlSecondsAfterFinished': -1 },
    wantPath: 'spec.ttlSecondsAfterFinished',
  },
  {
    name: 'a HookRun that is terminated in words',
    object: makeHookRun,
    set: { 'spec.terminate': 'yes' },
    wantPath: 'spec.terminate',
  },
  {
    name: 'a HookRun that is over before it begins',
    object: makeHookRun,
    set: { 'spec.activeDeadlineSeconds': 0 },
    wantPath: 'spec.activeDeadlineSeconds',
  },
];

export const NONSENSE_IN_HOOKS: readonly Nonsense[] = [...providers, ...numbers, ...templates, ...runs];
