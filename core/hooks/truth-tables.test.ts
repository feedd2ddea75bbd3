/**
 * The truth tables of progressive-delivery §2.7, row by row, as far as decisions 32 and 34 do not say otherwise, and the weak
 * points 49 to 53 of game-workloads §5. Rows M are in condition.test.ts, rows W with the provider web.
 */
import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { addMeasurement, beginRun, settleRun } from './run.ts';
import { planMeasurements, resultOf } from './schedule.ts';
import { validateHookRun } from './validation.ts';
import type { FinishedMeasurement } from './verdict.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const LETTERS = { S: 'Successful', F: 'Failed', E: 'Error', I: 'Inconclusive' } as const;
type Letter = keyof typeof LETTERS;

const at = (second: number) => new Date(START + second * 1000).toISOString();
const measured = (letter: Letter, second = 0): FinishedMeasurement => ({
  ...{ phase: LETTERS[letter], startedAt: at(second), finishedAt: at(second) },
});
const run = (fields: Partial<HookRunSpec>, ...metrics: Partial<Metric>[]): HookRunSpec => ({
  metrics: metrics.map((metric, index) => ({
    ...{ name: `m${index}`, provider: { web: { url: 'http://localhost' } } },
    ...metric,
  })),
  ...fields,
});

/** Measures as long as the run goes on: `F S` for one metric, `F S | E` for two, the first one's measurements first. */
function statusAfter(spec: HookRunSpec, letters: string, nowMs = START): HookRunStatus {
  let status = beginRun(undefined, START);
  for (const [index, part] of letters.split('|').entries()) {
    for (const letter of part.trim().split(' ').filter(Boolean)) {
      const result = resultOf(status, `m${index}`);
      if (result !== undefined && result.phase !== 'Running') break;
      status = addMeasurement(status, spec.metrics[index] as Metric, measured(letter as Letter));
    }
  }
  return settleRun(spec, status, nowMs);
}

const phaseAfter = (metric: Partial<Metric>, letters: string, fields: Partial<HookRunSpec> = {}) =>
  resultOf(statusAfter(run(fields, metric), letters), 'm0')?.phase;

describe('rows L: limits and counters, while the run goes on and while it is terminated', () => {
  const poll = { interval: '1s' };
  const both = { ...poll, failureLimit: 4, consecutiveSuccessfulLimit: 4 };
  const tenth = { ...both, count: 10 };
  type Row = [row: string, metric: Partial<Metric>, letters: string, HookPhase | undefined, terminated?: HookPhase];
  const table: Row[] = [
    ['L1: no measurement yet', poll, '', undefined, 'Skipped'],
    ['L3: failureLimit 2, 3 failed', { ...poll, failureLimit: 2 }, 'F F F', 'Failed', 'Failed'],
    ['L4: failureLimit 3, 3 failed', { ...poll, failureLimit: 3 }, 'F F F', 'Running', 'Terminated'],
    ['L6: inconclusiveLimit 2, 3', { ...poll, inconclusiveLimit: 2 }, 'I I I', 'Inconclusive', 'Inconclusive'],
    ['L7: inconclusiveLimit 3, 3', { ...poll, inconclusiveLimit: 3 }, 'I I I', 'Running', 'Terminated'],
    ['L8: default inconclusiveLimit', poll, 'I', 'Inconclusive', 'Inconclusive'],
    ['L9: default error limit, 5 in a row', { ...poll, count: 9 }, 'E E E E E', 'Error', 'Error'],
    ['L11: count 10, 10 ok', { ...poll, count: 10 }, 'S S S S S S S S S S', 'Successful', 'Successful'],
    [
      'L12: count 10, 5 ok and then inconclusive',
      { ...poll, count: 10 },
      'S S S S S I',
      'Inconclusive',
      'Inconclusive',
    ],
    [
      'L13: 3 in a row after 3 failures',
      { ...poll, consecutiveSuccessfulLimit: 3 },
      'F F F S S S',
      'Successful',
      'Successful',
    ],
    ['L14: 5 wanted, 3 in a row', { ...poll, consecutiveSuccessfulLimit: 5 }, 'F F F S S S', 'Running', 'Terminated'],
    [
      'L16: 3 in a row with the last of count 7',
      { ...poll, count: 7, failureLimit: 7, consecutiveSuccessfulLimit: 3 },
      ...(['F F F F S S S', 'Successful', 'Successful'] as const),
    ],
    [
      'L17: early, count 9 not reached',
      { ...poll, count: 9, failureLimit: 9, consecutiveSuccessfulLimit: 3 },
      ...(['F F F F S S S', 'Successful', 'Successful'] as const),
    ],
    [
      'L18: 5 wanted, 3 in a row, count 9 not reached',
      { ...poll, count: 9, failureLimit: 9, consecutiveSuccessfulLimit: 5 },
      ...(['F F F F S S S', 'Running', 'Terminated'] as const),
    ],
    ['L19: both 4, 3 failed, 3 in a row', both, 'F F F S S S', 'Running', 'Terminated'],
    ['L21: both 4, 3 failed, 4 in a row', both, 'F F F S S S S', 'Successful', 'Successful'],
    ['L22: both 4, 5 failed before 4 in a row', both, 'F F F F F S S S S', 'Failed', 'Failed'],
    ['L23: count reached, 4 failed, 3 in a row', tenth, 'S S S F F F F S S S', 'Inconclusive', 'Inconclusive'],
    ['L24: count reached, 5 failed, 3 in a row', tenth, 'S S F F F F F S S S', 'Failed', 'Failed'],
    ['L26: count reached, 5 failed, 4 in a row', tenth, 'S F F F F F S S S S', 'Failed', 'Failed'],
    ['L27: 8 of 10, 3 failed, 3 in a row', tenth, 'S S F F F S S S', 'Running', 'Terminated'],
    ['L28: 8 of 10, 5 failed, 3 in a row', tenth, 'F F F F F S S S', 'Failed', 'Failed'],
    ['L29: 8 of 10, 3 failed, 4 in a row', tenth, 'S F F F S S S S', 'Successful', 'Successful'],
    ['L31: complete, whatever comes later', {}, 'S F', 'Successful', 'Successful'],
  ];
  it.each(table)('%s', (_row, metric, letters, phase, terminated) => {
    expect([phaseAfter(metric, letters), phaseAfter(metric, letters, { terminate: true })]).toEqual([
      phase,
      terminated,
    ]);
  });
});

describe('rows R: runs', () => {
  const poll = { interval: '1s' };
  const table: [row: string, HookRunSpec, letters: string, HookPhase][] = [
    ['R1: one ok, one goes on', run({}, {}, poll), 'S | F', 'Running'],
    ['R2: the worst of all', run({}, {}, {}, {}), 'S | I | F', 'Failed'],
    ['R8: terminated before the first measurement', run({ terminate: true }, { initialDelay: '1h' }), '', 'Terminated'],
    ['R12: one ok, another one waits to begin', run({}, {}, { initialDelay: '1h' }), 'S', 'Running'],
    ['R17: a poll that broke nothing, terminated', run({ terminate: true }, poll), 'S F', 'Terminated'],
    ['R18: one shot', run({}, {}), 'S', 'Successful'],
  ];
  it.each(table)('%s', (_row, spec, letters, phase) => {
    expect(statusAfter(spec, letters).phase).toBe(phase);
  });

  const due = (spec: HookRunSpec, status: HookRunStatus, second: number) =>
    planMeasurements(spec, status, START + second * 1000).due.map(({ name }) => name);
  const every = run({}, { interval: '60s' });

  it('R13, R14: 50 s and 61 s after the last one, every 60 s', () => {
    const status = statusAfter(every, 'F');
    expect([due(every, status, 50), due(every, status, 61)]).toEqual([[], ['m0']]);
  });

  it('R16: one that goes on outside is looked at when it said', () => {
    const open = { phase: 'Running' as const, startedAt: at(0), resumeAt: at(20) };
    const status = {
      ...beginRun(undefined, START),
      metricResults: [{ name: 'm0', phase: 'Running' as const, measurements: [open] }],
    };
    expect([due(every, status, 19), due(every, status, 20)]).toEqual([[], ['m0']]);
  });

  it('R18: is never measured again', () => {
    const spec = run({}, {});
    expect(due(spec, statusAfter(spec, 'S'), 9999)).toEqual([]);
  });

  it('R11: no metrics, names given twice, no provider or two', () => {
    const web = { web: { url: 'http://localhost' } };
    const specs = [
      run({}),
      run({}, { name: 'm' }, { name: 'm' }),
      run({}, { provider: {} }),
      run({}, { provider: { ...web, exec: {} } }),
    ];
    expect(specs.map((spec) => validateHookRun(spec).length)).toEqual([1, 1, 1, 1]);
  });
});

describe('weak points of the existing operators', () => {
  const poll = { interval: '1s' };

  it('49: a one-shot check that fails is Failed, one that cannot be measured is asked again and is no success', () => {
    expect([phaseAfter({}, 'F'), phaseAfter({ count: 1, failureLimit: 0 }, 'F')]).toEqual(['Failed', 'Failed']);
    expect([phaseAfter({}, 'E'), phaseAfter({}, 'E E E E'), phaseAfter({}, 'E E E E E')]).toEqual([
      'Running',
      'Running',
      'Error',
    ]);
    expect([phaseAfter({}, 'E S'), phaseAfter({}, 'E F')]).toEqual(['Successful', 'Failed']);
  });

  it('49: failureLimit 0 fails with the first failure where there is an end', () => {
    expect([
      phaseAfter({ ...poll, count: 3, failureLimit: 0 }, 'F'),
      phaseAfter({ ...poll, failureLimit: 0 }, 'F F F'),
    ]).toEqual(['Failed', 'Running']);
  });

  it.each(['F', 'E E E E E', 'I'])('50: Ordered ends when its first metric ends with %s', (letters) => {
    const { phase, metricResults } = statusAfter(run({ policy: 'Ordered' }, {}, {}, {}), letters);
    expect(phase).not.toBe('Running');
    expect(metricResults?.slice(1).map((result) => result.phase)).toEqual(['Skipped', 'Skipped']);
  });

  it('50: Ordered goes on after a success, with the next one only', () => {
    const spec = run({ policy: 'Ordered' }, {}, {}, {});
    const status = statusAfter(spec, 'S');
    expect([status.phase, planMeasurements(spec, status, START).due.map(({ name }) => name)]).toEqual([
      'Running',
      ['m1'],
    ]);
  });

  it.each(['', 'S', 'F'])('51: terminate after %j is no success', (letters) => {
    const { phase, finishedAt } = statusAfter(run({ terminate: true }, poll), letters);
    expect([phase, finishedAt]).toEqual(['Terminated', at(0)]);
  });

  it('52: who measures is nobody in particular: facts of a node are arguments like others', () => {
    const spec = run({ args: [{ name: 'HostIP', value: '10.0.0.9' }] }, {});
    expect([validateHookRun(spec), statusAfter(spec, 'S').phase]).toEqual([[], 'Successful']);
  });

  it('53: a poll without end ends with its deadline, and not before', () => {
    const spec = run({ activeDeadlineSeconds: 3600 }, poll);
    expect([
      statusAfter(spec, 'F F', START + 3_599_999).phase,
      statusAfter(spec, 'F F', START + 3_600_000).phase,
    ]).toEqual(['Running', 'Error']);
  });

  it('55: every provider but exec can be asked for', () => {
    const providers: Metric['provider'][] = [
      { web: { url: 'http://localhost' } },
      { prometheus: { address: 'http://localhost:9090', query: 'up' } },
      { kubernetes: { function: 'get', fields: [{ path: 'metadata.annotations.a', value: '1' }] } },
    ];
    const args = [
      { name: 'PodName', value: 'lobby-1' },
      { name: 'PodNamespace', value: 'default' },
    ];
    expect(providers.map((provider) => validateHookRun(run({ args }, { provider })))).toEqual([[], [], []]);
  });
});
