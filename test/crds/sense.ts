/** What looks odd and is legal: it must be accepted, by the API server and by zod. */
import { type Manifest, makeGameDeployment, makeGameStatefulSet, makeHookRun, makeHookTemplate } from './objects.ts';

export interface Sense {
  name: string;
  object: () => Manifest;
  change: (spec: Manifest['spec']) => void;
}

const strategy = (fields: object) => ({
  object: makeGameDeployment,
  change: (spec: Manifest['spec']) => Object.assign(spec.updateStrategy, fields),
});
const metric = (fields: object) => ({
  object: makeHookTemplate,
  change: (spec: Manifest['spec']) => Object.assign(spec.metrics[0], fields),
});

export const SENSE: readonly Sense[] = [
  { name: 'no update strategy', object: makeGameDeployment, change: (spec) => delete spec.updateStrategy },
  { name: 'nothing to run', object: makeGameStatefulSet, change: (spec) => (spec.replicas = 0) },
  { name: 'a partition above the replicas', ...strategy({ partition: 50 }) },
  { name: 'a partition of 100 %', ...strategy({ partition: '100%' }) },
  { name: 'a surge above 100 %', ...strategy({ maxUnavailable: 0, maxSurge: '200%' }) },
  { name: 'nothing unavailable and nothing said about the surge', ...strategy({ maxUnavailable: 0 }) },
  { name: 'no surge and nothing said about unavailable', ...strategy({ maxSurge: '0%' }) },
  { name: 'both budgets given and one above zero', ...strategy({ maxUnavailable: '0%', maxSurge: 1 }) },
  { name: 'no canary steps', ...strategy({ canary: { steps: [] } }) },
  { name: 'a pause of no time', ...strategy({ canary: { steps: [{ pause: { duration: 0 } }] } }) },
  {
    name: 'all keys in one step',
    ...strategy({ canary: { steps: [{ partition: '50%', pause: {}, hook: { templateName: 'drained' } }] } }),
  },
  {
    name: 'a gate that is only retried',
    object: makeGameDeployment,
    change: (spec) => (spec.preDeleteUpdateStrategy = { retry: true }),
  },
  {
    name: 'a selector by expressions only',
    object: makeGameDeployment,
    change: (spec) => (spec.selector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
  },
  {
    name: 'a template with more labels than the selector',
    object: makeGameStatefulSet,
    change: (spec) => (spec.template.metadata.labels.tier = 'gold'),
  },
  { name: 'an empty service name', object: makeGameStatefulSet, change: (spec) => (spec.serviceName = '') },
  { name: 'a poll without end', ...metric({ interval: '1s', consecutiveSuccessfulLimit: 3 }) },
  { name: 'a count of zero with limits', ...metric({ count: 0, interval: '1s', failureLimit: 5 }) },
  { name: 'a limit as large as the count', ...metric({ count: 3, interval: '1s', failureLimit: 3 }) },
  ...['1h30m', '500ms', '1.5s', '.5s', '0', '+2s', '10µs'].map((interval) => ({
    name: `an interval of ${interval}`,
    ...metric({ interval }),
  })),
  { name: 'a Prometheus check without an address', ...metric({ provider: { prometheus: { query: 'up' } } }) },
  { name: 'a check by command', ...metric({ provider: { exec: { container: 'game', command: ['true'] } } }) },
  { name: 'a HookRun with a policy of its own', object: makeHookRun, change: (spec) => (spec.policy = '') },
];
