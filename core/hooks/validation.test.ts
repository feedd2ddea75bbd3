import { describe, expect, it } from 'vitest';
import type { HookRunSpec } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import type { WebProvider } from '../../crds/provider.ts';
import { describeProblems, validateHookRun, validateHookTemplate } from './validation.ts';

const web = (fields: Partial<WebProvider> = {}): Metric['provider'] => ({
  web: { url: 'http://localhost', ...fields },
});
const run = (metric: Partial<Metric>, fields: Partial<HookRunSpec> = {}): HookRunSpec => ({
  metrics: [{ name: 'm', provider: web(), ...metric }],
  ...fields,
});

describe('a HookRun', () => {
  it('that existing users wrote has no problem', () => {
    const metric = {
      count: 3,
      interval: '60s',
      failureLimit: 2,
      successCondition: 'asInt(result) > 30',
      provider: web({ url: 'http://{{ args.PodIP }}:8080', jsonPath: '{$.age}' }),
    };
    expect(validateHookRun(run(metric, { args: [{ name: 'PodIP', value: '10.0.0.1' }] }))).toEqual([]);
  });

  const table: [title: string, spec: HookRunSpec, path: string, message: string][] = [
    ['no metrics', { metrics: [] }, 'spec.metrics', 'At least one metric'],
    ['two of one name', { metrics: [...run({}).metrics, ...run({}).metrics] }, 'spec.metrics[1].name', 'given twice'],
    ['interval', run({ interval: '5x' }), 'spec.metrics[0].interval', '"5x" is not a duration'],
    ['initialDelay', run({ initialDelay: '-5s' }), 'spec.metrics[0].initialDelay', '"-5s" is not a duration'],
    ['longer than a year', run({ interval: '8761h' }), 'spec.metrics[0].interval', 'not be longer than a year'],
    ['no date at all', run({ initialDelay: `${'9'.repeat(60)}h` }), 'spec.metrics[0].initialDelay', 'a year'],
    ['count without interval', run({ count: 2 }), 'spec.metrics[0].interval', 'needs an interval'],
    ['limit above count', run({ count: 1, failureLimit: 2 }), 'spec.metrics[0].failureLimit', 'Cannot exceed count 1'],
    ['negative limit', run({ failureLimit: -1 }), 'spec.metrics[0].failureLimit', 'at least 0'],
    [
      'zero in a row',
      run({ consecutiveSuccessfulLimit: 0 }),
      'spec.metrics[0].consecutiveSuccessfulLimit',
      'at least 1',
    ],
    ['condition', run({ successCondition: 'result >' }), 'spec.metrics[0].successCondition', 'column 9'],
    ['unknown variable', run({ failureCondition: 'x' }), 'spec.metrics[0].failureCondition', 'X is not defined'],
    ['no provider', run({ provider: {} }), 'spec.metrics[0].provider', 'Exactly one provider is needed, not 0.'],
    ['two providers', run({ provider: { ...web(), exec: {} } }), 'spec.metrics[0].provider', 'not 2.'],
    ['open argument', run({}, { args: [{ name: 'a' }] }), 'spec.args[0].value', 'The argument a has no value.'],
    [
      'unknown argument',
      run({ provider: web({ url: 'http://{{args.a}}' }) }),
      'spec.metrics[0].provider.web.url',
      'no value',
    ],
    [
      'header',
      run({ provider: web({ headers: [{ key: 'X', value: '{{' }] }) }),
      'spec.metrics[0].provider.web.headers[0].value',
      'not closed',
    ],
    ['jsonPath', run({ provider: web({ jsonPath: '$.age' }) }), 'spec.metrics[0].provider.web.jsonPath', 'no {…}'],
    ['timeout', run({ provider: web({ timeoutSeconds: 9999 }) }), 'spec.metrics[0].provider.web.timeoutSeconds', '600'],
    ['policy', run({}, { policy: 'Random' }), 'spec.policy', 'Parallel or Ordered'],
  ];
  it.each(table)('%s', (_title, spec, path, message) => {
    const problems = validateHookRun(spec);
    expect(problems).toEqual([{ kind: 'Invalid', path, message: expect.stringContaining(message) }]);
  });

  it('with the provider exec is not implemented', () => {
    const problems = validateHookRun(run({ provider: { exec: {} } }));
    const path = 'spec.metrics[0].provider.exec';
    const message = 'The provider exec is not implemented.';
    expect(problems).toEqual([{ kind: 'NotImplemented', path, message }]);
    expect(describeProblems(problems)).toBe(`${path}: ${message}`);
  });
});

describe('a HookTemplate', () => {
  const metrics = [{ name: 'm', provider: web({ url: 'http://{{ args.PodIP }}/{{ args.room }}' }) }];
  it('may leave arguments open, but must declare those that are no facts of a pod', () => {
    expect(validateHookTemplate({ metrics, args: [{ name: 'room' }] })).toEqual([]);
    expect(validateHookTemplate({ metrics })).toEqual([
      {
        kind: 'Invalid',
        path: 'spec.metrics[0].provider.web.url',
        message: 'The argument room is not declared in spec.args.',
      },
    ]);
  });
});

it.each([
  ['HookTemplate', validateHookTemplate],
  ['HookRun', validateHookRun],
])('a fault of ours while a %s is checked is a problem, and no throw', (_kind, validate) => {
  const message = 'It could not be checked: a fault of Holdfast: TypeError.';
  expect(validate({ metrics: [null as never] })).toEqual([{ kind: 'Invalid', path: 'spec', message }]);
});
