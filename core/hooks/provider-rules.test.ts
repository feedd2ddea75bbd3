/** Every field of a provider that can be wrong, each named with its path before anything is asked. */
import { describe, expect, it } from 'vitest';
import type { HookArgument } from '../../crds/hook-template.ts';
import type { JobProvider, MetricProvider } from '../../crds/provider.ts';
import { validateHookRun, validateHookTemplate } from './validation.ts';

const PROVIDER = 'spec.metrics[0].provider';
const secret = { name: 'token', key: 'token' };
const badSecret = { name: '../token', key: 'token' };

const POD = { name: 'PodName', value: 'p-0' };
const problemsOf = (provider: MetricProvider, args: HookArgument[] = [POD]) =>
  validateHookRun({ metrics: [{ name: 'm', provider }], args });

const job = (container: object, spec: object = {}): MetricProvider => ({
  job: {
    spec: { ...spec, template: { spec: { containers: [{ name: 'c', image: 'i', ...container }] } } },
  } as JobProvider,
});

describe('what is right has no problem', () => {
  it.each<[string, MetricProvider]>([
    [
      'a web check by POST',
      { web: { url: 'https://game/drain', method: 'POST', body: '{}', expectedStatuses: [202] } },
    ],
    [
      'a header from a Secret',
      { web: { url: 'http://g', headers: [{ key: 'A', valueFrom: { secretKeyRef: secret } }] } },
    ],
    ['a URL that is an argument', { web: { url: '{{ args.a }}/x' } }],
    ['Prometheus', { prometheus: { address: 'http://{{ args.a }}:9090', query: 'up{job="{{args.a}}"}' } }],
    [
      'a field of the status',
      { kubernetes: { function: 'get', fields: [{ path: 'status.phase', value: 'Running' }] } },
    ],
    [
      'an annotation with a prefix',
      {
        kubernetes: { function: 'patch', fields: [{ path: 'metadata.annotations.game.example/drain', value: 'now' }] },
      },
    ],
    ['a Job with arguments', job({ args: ['--to', '{{ args.a }}'], env: [{ name: 'A', value: '{{ args.a }}' }] })],
    ['a Job whose other texts look like arguments', job({ image: '{{ x }}' })],
  ])('%s', (_name, provider) => {
    expect(problemsOf(provider, [POD, { name: 'a', value: 'http://v' }])).toEqual([]);
  });
});

describe('what is wrong is named', () => {
  const field = (path: string, fn: 'get' | 'patch' = 'patch') => ({
    kubernetes: { function: fn, fields: [{ path, value: 'v' }] },
  });
  it.each<[string, MetricProvider, string, string]>([
    ['no URL', { web: { url: '' } }, 'web.url', 'A URL is needed.'],
    ['another scheme', { web: { url: 'file:///etc/passwd' } }, 'web.url', 'not a valid http or https URL'],
    ['a port that is none', { web: { url: 'http://g:99999/' } }, 'web.url', 'not a valid http or https URL'],
    [
      'a header',
      { web: { url: 'http://g', headers: [{ key: 'X Y', value: 'v' }] } },
      'web.headers[0].key',
      '"X Y" cannot be',
    ],
    [
      'a value in two lines',
      { web: { url: 'http://g', headers: [{ key: 'X', value: 'a\nb' }] } },
      'web.headers[0].value',
      'cannot hold line breaks',
    ],
    ['no port', { prometheus: { address: 'http://[::1', query: 'up' } }, 'prometheus.address', 'not a valid http'],
    ['no host', { web: { url: 'http:///x' } }, 'web.url', 'not a valid http or https URL'],
    ['W14: a body of a GET', { web: { url: 'http://g', body: 'x' } }, 'web.body', 'A GET has no body.'],
    [
      'a body with a bad tag',
      { web: { url: 'http://g', method: 'PUT', body: '{{ x }}' } },
      'web.body',
      'not of the form',
    ],
    ['a path into nothing', { web: { url: 'http://g', method: 'HEAD', jsonPath: '{$}' } }, 'web.jsonPath', 'no body'],
    ['a redirect', { web: { url: 'http://g', expectedStatuses: [302] } }, 'web.expectedStatuses', 'redirect'],
    ['a JSONPath', { web: { url: 'http://g', jsonPath: '{$.a' } }, 'web.jsonPath', 'not closed'],
    ['a CA', { web: { url: 'http://g', tls: { caSecret: badSecret } } }, 'web.tls.caSecret.name', 'name of a Secret'],
    [
      'a header',
      { web: { url: 'http://g', headers: [{ key: 'A', valueFrom: { secretKeyRef: badSecret } }] } },
      'web.headers[0].valueFrom.secretKeyRef.name',
      'name of a Secret',
    ],
    ['no address', { prometheus: { query: 'up' } }, 'prometheus.address', 'A URL is needed.'],
    ['no query', { prometheus: { address: 'http://p' } }, 'prometheus.query', 'A query is needed.'],
    [
      'a tag',
      { prometheus: { address: 'http://p', query: '{{ args.b }}' } },
      'prometheus.query',
      'argument b has no value',
    ],
    [
      'a token',
      { prometheus: { address: 'http://p', query: 'up', bearerTokenSecret: badSecret } },
      'prometheus.bearerTokenSecret.name',
      'name of a Secret',
    ],
    [
      'a password',
      { prometheus: { address: 'http://p', query: 'up', basicAuth: { username: secret, password: badSecret } } },
      'prometheus.basicAuth.password.name',
      'name of a Secret',
    ],
    [
      'a timeout',
      { prometheus: { address: 'http://p', query: 'up', timeoutSeconds: 601 } },
      'prometheus.timeoutSeconds',
      'between 0 and 600',
    ],
    ['no fields', { kubernetes: { function: 'get', fields: [] } }, 'kubernetes.fields', 'At least one field'],
    ['a spec to write', field('spec.nodeName'), 'kubernetes.fields[0].path', 'patch may write metadata'],
    [
      'a key of ours',
      field('metadata.annotations.holdfast.dev/move'),
      'kubernetes.fields[0].path',
      'belongs to Holdfast',
    ],
    ['a label of ours', field('metadata.labels.controller-revision-hash'), 'kubernetes.fields[0].path', 'belongs to'],
    [
      'a key with a quote',
      field('metadata.annotations.a"b'),
      'kubernetes.fields[0].path',
      'is not a key of annotations',
    ],
    ['a path with braces', field('status.phase}{', 'get'), 'kubernetes.fields[0].path', 'not the path of one field'],
    [
      'a path to many',
      field('status.conditions[*].type', 'get'),
      'kubernetes.fields[0].path',
      'not the path of one field',
    ],
    ['a long path', field('a'.repeat(4097), 'get'), 'kubernetes.fields[0].path', 'longer than 4096 characters'],
    ['a deep path', field(`a${'[?(@'.repeat(1000)}`, 'get'), 'kubernetes.fields[0].path', 'is not closed'],
    [
      'filters in filters',
      field(`a${'[?(@.a'.repeat(500)}${')]'.repeat(500)}`, 'get'),
      'kubernetes.fields[0].path',
      'nested too deeply',
    ],
    ['no path', field('', 'get'), 'kubernetes.fields[0].path', 'not the path of one field'],
    [
      'an argument in a Job',
      job({ command: ['sh', '{{ args.b }}'] }),
      'job.spec.template.spec.containers[0].command[1]',
      'argument b has no value',
    ],
    [
      'a Job that vanishes',
      job({}, { ttlSecondsAfterFinished: 1 }),
      'job.spec.ttlSecondsAfterFinished',
      'kept as long as',
    ],
  ])('%s', (_name, provider, path, message) => {
    expect(problemsOf(provider)).toEqual([
      { kind: 'Invalid', path: `${PROVIDER}.${path}`, message: expect.stringContaining(message) },
    ]);
  });

  it.each(['{{ args.a }}/x', 'http://{{ args.a }}:8080', 'http{{ args.a }}://game', 'https://g{{ args.a }}:8/'])(
    'the URL %s may become one, and is judged when its arguments are known',
    (url) => {
      const metrics = [{ name: 'm', provider: { web: { url } } }];
      expect(validateHookTemplate({ metrics, args: [{ name: 'a' }] })).toEqual([]);
      expect(problemsOf({ web: { url } }, [{ name: 'a', value: 'a b' }])).toMatchObject([
        { path: `${PROVIDER}.web.url`, message: 'This is not a valid http or https URL.' },
      ]);
    },
  );

  it.each(['ftp://{{ args.a }}', 'game/{{ args.a }}'])('the URL %s never becomes one', (url) => {
    const metrics = [{ name: 'm', provider: { web: { url } } }];
    expect(validateHookTemplate({ metrics, args: [{ name: 'a' }] })).toMatchObject([{ path: `${PROVIDER}.web.url` }]);
  });

  it('a run must be told whom the provider kubernetes asks for; a template need not', () => {
    const provider = field('metadata.name', 'get');
    expect(problemsOf(provider, [])).toEqual([
      { kind: 'Invalid', path: `${PROVIDER}.kubernetes`, message: expect.stringContaining('argument PodName') },
    ]);
    expect(validateHookTemplate({ metrics: [{ name: 'm', provider }] })).toEqual([]);
  });

  it('a template must declare what a Job asks for', () => {
    const metrics = [{ name: 'm', provider: job({ env: [{ name: 'A', value: '{{ args.room }}' }] }) }];
    expect(validateHookTemplate({ metrics })).toMatchObject([
      { path: `${PROVIDER}.job.spec.template.spec.containers[0].env[0].value` },
    ]);
    expect(validateHookTemplate({ metrics, args: [{ name: 'room' }] })).toEqual([]);
  });
});
