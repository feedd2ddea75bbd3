/** What looks odd and is legal: it must be accepted, by the API server and by zod. */
import {
  type Changes,
  type MakeManifest,
  makeGameDeployment,
  makeGameStatefulSet,
  makeHookRun,
  makeHookTemplate,
} from './objects.ts';

export interface Sense {
  name: string;
  object: MakeManifest;
  set: Changes;
}

function strategy(name: string, updateStrategy: unknown): Sense {
  return { name, object: makeGameDeployment, set: { 'spec.updateStrategy': updateStrategy } };
}

function steps(name: string, ...canarySteps: unknown[]): Sense {
  return strategy(name, { canary: { steps: canarySteps } });
}

function metric(name: string, fields: Changes): Sense {
  const set = Object.fromEntries(Object.entries(fields).map(([key, value]) => [`spec.metrics[0].${key}`, value]));
  return { name, object: makeHookTemplate, set };
}

const workloads: Sense[] = [
  { name: 'nothing to run', object: makeGameStatefulSet, set: { 'spec.replicas': 0 } },
  {
    name: 'a gate that is only retried',
    object: makeGameDeployment,
    set: { 'spec.preDeleteUpdateStrategy.retry': true },
  },
  {
    name: 'a selector by expressions only',
    object: makeGameDeployment,
    set: { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
  },
  {
    name: 'a template with more labels than the selector',
    object: makeGameStatefulSet,
    set: { 'spec.template.metadata.labels.tier': 'gold' },
  },
  {
    name: 'a template as generators print it',
    object: makeGameDeployment,
    set: { 'spec.template.metadata.creationTimestamp': null },
  },
  {
    name: 'a selector by every operator',
    object: makeGameStatefulSet,
    set: {
      'spec.selector.matchExpressions': [
        { key: 'app', operator: 'In', values: ['lobby', 'other'] },
        { key: 'app', operator: 'NotIn', values: ['other'] },
        { key: 'tier', operator: 'NotIn', values: ['gold'] },
        { key: 'app', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'tier', operator: 'DoesNotExist', values: [] },
      ],
    },
  },
  {
    name: 'a selector by expressions about a template without labels',
    object: makeGameDeployment,
    set: {
      'spec.template.metadata': undefined,
      'spec.selector': { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
    },
  },
  {
    name: 'labels with all that a label may have',
    object: makeGameDeployment,
    set: {
      'spec.template.metadata.labels': {
        ...{ app: 'lobby', Empty_1: '', [`${'p'.repeat(253)}/${'n'.repeat(63)}`]: 'V1.2_3-x' },
        ...{ 'app.example.com/part-of': 'x'.repeat(63) },
      },
    },
  },
  {
    name: 'claim templates with labels of their own',
    object: makeGameStatefulSet,
    set: {
      'spec.volumeClaimTemplates': ['saves', 'logs-2'].map((name) => ({
        metadata: { name, labels: { tier: name } },
        spec: {},
      })),
    },
  },
  { name: 'an empty service name', object: makeGameStatefulSet, set: { 'spec.serviceName': '' } },
];

const strategies: Sense[] = [
  strategy('no update strategy', undefined),
  strategy('a partition above the replicas', { partition: 50 }),
  strategy('a partition of 100 %', { partition: '100%' }),
  strategy('a surge above 100 %', { maxUnavailable: 0, maxSurge: '200%' }),
  strategy('nothing unavailable and nothing said about the surge', { maxUnavailable: 0 }),
  strategy('no surge and nothing said about unavailable', { maxSurge: '0%' }),
  strategy('both budgets given and one above zero', { maxUnavailable: '0%', maxSurge: 1 }),
  steps('no canary steps'),
  steps('a pause of no time', { pause: { duration: 0 } }),
  steps('all keys in one step', { partition: '50%', pause: {}, hook: { templateName: 'drained' }, onFailure: 'abort' }),
];

const hooks: Sense[] = [
  metric('a poll without end', { interval: '1s', consecutiveSuccessfulLimit: 3 }),
  metric('a count of zero with limits', { count: 0, interval: '1s', failureLimit: 5 }),
  metric('a limit as large as the count', { count: 3, interval: '1s', failureLimit: 3 }),
  ...['1h30m', '500ms', '1.5s', '.5s', '0', '+2s', '10µs'].map((interval) =>
    metric(`an interval of ${interval}`, { interval }),
  ),
  metric('a Prometheus check without an address', { provider: { prometheus: { query: 'up' } } }),
  metric('a web check that posts and looks at the status', {
    provider: { web: { url: 'http://game/drain', method: 'POST', body: '{"all":true}', expectedStatuses: [202] } },
  }),
  metric('a header from a Secret', {
    'provider.web.headers': [{ key: 'Authorization', valueFrom: { secretKeyRef: { name: 'token', key: 'token' } } }],
  }),
  metric('a Job with fields that only its kind knows', {
    provider: {
      job: { spec: { backoffLimit: 0, template: { spec: { containers: [{ name: 'm', image: 'm:1', tty: true }] } } } },
    },
  }),
  metric('a check by command', { provider: { exec: { container: 'game', command: ['true'] } } }),
  metric('a HEAD, an empty path', { 'provider.web.method': 'HEAD', 'provider.web.jsonPath': '' }),
  { name: 'a HookRun with an empty policy', object: makeHookRun, set: { 'spec.policy': '' } },
  // Free text as ever: it becomes a run that is Error with the path of the field.
  { name: 'a HookRun with a policy that nobody knows', object: makeHookRun, set: { 'spec.policy': 'Random' } },
];

export const SENSE: readonly Sense[] = [...workloads, ...strategies, ...hooks];
