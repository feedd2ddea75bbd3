/** Rows 86 to 89 of game-workloads §6 with decisions 33, 34 and 39. */
import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { runPhase } from './phases.ts';
import { addMeasurement, beginRun, briefStatus, isFurther, settleRun, takeUp } from './run.ts';
import { planMeasurements, resultOf } from './schedule.ts';
import type { FinishedMeasurement } from './verdict.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const LETTERS = { S: 'Successful', F: 'Failed', E: 'Error', I: 'Inconclusive' } as const;
type Letter = keyof typeof LETTERS;

function metricOf(fields: Partial<Metric> = {}): Metric {
  return { name: 'm', provider: { web: { url: 'http://localhost' } }, ...fields };
}

function measured(letter: Letter, atMs = START): FinishedMeasurement {
  const at = new Date(atMs).toISOString();
  return { phase: LETTERS[letter], startedAt: at, finishedAt: at };
}

describe('86: the phase of a run', () => {
  const table: [phases: (HookPhase | undefined)[], want: HookPhase][] = [
    [['Successful', 'Failed'], 'Failed'],
    [['Running', 'Failed'], 'Running'],
    [[undefined, undefined], 'Running'],
    [['Successful', 'Successful'], 'Successful'],
    [['Inconclusive', 'Error', 'Successful'], 'Error'],
    [['Error', 'Failed'], 'Failed'],
    [['Inconclusive', 'Terminated'], 'Inconclusive'],
    [['Successful', 'Terminated'], 'Terminated'],
    [['Skipped', 'Skipped'], 'Terminated'],
  ];
  it.each(table)('%j is %s', (phases, want) => {
    expect(runPhase(phases)).toBe(want);
  });
});

const spec = (fields: Partial<HookRunSpec> = {}, ...metrics: Partial<Metric>[]): HookRunSpec => ({
  metrics: metrics.map((metric, index) => metricOf({ name: `m${index}`, ...metric })),
  ...fields,
});
/** A run after these measurements, settled. */
const runWith = (run: HookRunSpec, made: [name: string, letter: Letter][], nowMs = START): HookRunStatus => {
  let status = beginRun(undefined, START);
  for (const [name, letter] of made) {
    const metric = run.metrics.find((candidate) => candidate.name === name) as Metric;
    status = addMeasurement(status, metric, measured(letter, nowMs));
  }
  return settleRun(run, status, nowMs);
};
const phases = (status: HookRunStatus) => [
  status.phase,
  ...(status.metricResults ?? []).map(({ name, phase }) => `${name} ${phase}`),
];

describe('a run ends', () => {
  it('87: Ordered, the first fails: the rest are Skipped and the run ends', () => {
    const status = runWith(spec({ policy: 'Ordered' }, {}, {}), [['m0', 'F']]);
    expect(phases(status)).toEqual(['Failed', 'm0 Failed', 'm1 Skipped']);
    expect(status.message).toBe('metric m0 failed');
    expect(status.finishedAt).toBe('2026-01-01T00:00:00.000Z');
  });

  it('88: terminate before anything was measured is Terminated, its metrics Skipped', () => {
    const status = runWith(spec({ terminate: true }, {}, {}), []);
    expect(phases(status)).toEqual(['Terminated', 'm0 Skipped', 'm1 Skipped']);
  });

  it('terminate stops what runs and keeps what ended', () => {
    const run = spec({ terminate: true }, {}, { interval: '1s' }, {});
    expect(
      phases(
        runWith(run, [
          ['m0', 'S'],
          ['m1', 'F'],
        ]),
      ),
    ).toEqual(['Terminated', 'm0 Successful', 'm1 Terminated', 'm2 Skipped']);
  });

  it('terminate does not undo a success', () => {
    expect(phases(runWith(spec({ terminate: true }, {}), [['m0', 'S']]))).toEqual(['Successful', 'm0 Successful']);
  });
});

describe('a run of parallel metrics', () => {
  it('Parallel: a broken metric stops the others', () => {
    const run = spec({}, {}, { interval: '1s' }, { initialDelay: '1h' });
    expect(
      phases(
        runWith(run, [
          ['m1', 'S'],
          ['m0', 'F'],
        ]),
      ),
    ).toEqual(['Failed', 'm1 Terminated', 'm0 Failed', 'm2 Skipped']);
  });

  it('the order of parallel metrics in one round does not matter', () => {
    const run = spec({}, {}, {}, {});
    const orders: [string, Letter][][] = [
      [
        ['m0', 'S'],
        ['m1', 'F'],
        ['m2', 'E'],
      ],
      [
        ['m2', 'E'],
        ['m1', 'F'],
        ['m0', 'S'],
      ],
      [
        ['m1', 'F'],
        ['m2', 'E'],
        ['m0', 'S'],
      ],
    ];
    const outcomes = orders
      .map((order) => runWith(run, order))
      .map((status) => {
        return [status.phase, status.message, ...run.metrics.map(({ name }) => resultOf(status, name)?.phase)];
      });
    expect(outcomes).toEqual(Array(3).fill(['Failed', 'metric m1 failed', 'Successful', 'Failed', 'Terminated']));
  });

  it('33: past activeDeadlineSeconds it is Error (report 21)', () => {
    const run = spec({ activeDeadlineSeconds: 60 }, { interval: '1s' }, { initialDelay: '1h' });
    expect(runWith(run, [['m0', 'F']], START + 59_000).phase).toBe('Running');
    const status = runWith(run, [['m0', 'F']], START + 60_000);
    expect(phases(status)).toEqual(['Error', 'm0 Error', 'm1 Error']);
    expect(status.message).toBe('metric m0 not finished within activeDeadlineSeconds 60');
  });
});

describe('a run is taken up again', () => {
  it('drops a measurement that a death cut short, and keeps the rest', () => {
    const cut = { phase: 'Running' as const, startedAt: '2026-01-01T00:00:01Z' };
    const status = beginRun(
      {
        phase: 'Running',
        startedAt: '2026-01-01T00:00:00Z',
        metricResults: [{ name: 'm0', phase: 'Running', count: 1, measurements: [measured('S'), cut] }],
      },
      START + 5000,
    );
    expect(resultOf(status, 'm0')?.measurements).toEqual([measured('S')]);
    expect(status.startedAt).toBe('2026-01-01T00:00:00Z');
  });

  it('39: of two copies the further one counts, a terminal one before all', () => {
    const run = spec({}, { interval: '1s' });
    const [one, two] = [
      runWith(run, [['m0', 'F']]),
      runWith(run, [
        ['m0', 'F'],
        ['m0', 'E'],
      ]),
    ];
    const done: HookRunStatus = { phase: 'Failed' };
    expect([isFurther(two, one), isFurther(one, two), isFurther(one, one)]).toEqual([true, false, false]);
    expect([isFurther(done, two), isFurther(two, done), isFurther(done, done)]).toEqual([true, false, false]);
    expect(isFurther(one, undefined)).toBe(true);
  });
});

describe('39: a run is taken up again with what a heartbeat told', () => {
  const run = spec({}, { interval: '1s' });
  const statusAfter = (letters: string) => {
    let status = beginRun(undefined, START);
    for (const [index, letter] of letters.split(' ').entries()) {
      status = addMeasurement(status, run.metrics[0] as Metric, measured(letter as Letter, START + index * 1000));
    }
    return settleRun(run, status, START);
  };
  const phasesOf = (status: HookRunStatus) =>
    resultOf(status, 'm0')
      ?.measurements?.map(({ phase }) => phase[0])
      .join('');

  it('that is further: its counters, and the measurements that only the object still has', () => {
    const taken = takeUp(statusAfter('F E F'), briefStatus(statusAfter('F E F E F S')));
    expect([resultOf(taken, 'm0')?.count, phasesOf(taken)]).toEqual([4, 'FEFS']);
  });

  it('that overlaps: none is there twice', () => {
    expect(phasesOf(takeUp(statusAfter('F E F'), statusAfter('F E F S')))).toBe('FEFS');
  });

  it('at most the last ten', () => {
    expect(
      phasesOf(takeUp(statusAfter(Array(10).fill('E').join(' ')), briefStatus(statusAfter('E E E E E E E E E E F')))),
    ).toBe('EEEEEEEEEF');
  });

  it('that is not: as the object says', () => {
    const stored = statusAfter('F E F S');
    expect([takeUp(stored, briefStatus(statusAfter('F'))), takeUp(stored, undefined)]).toEqual([stored, stored]);
  });
});

it('the largest run fits into an object of the API server, whatever it was answered', () => {
  const metrics = Array.from({ length: 64 }, () => ({ interval: '1s', failureLimit: 99 }));
  const run = spec({}, ...metrics);
  const answer = { ...measured('F'), value: '大'.repeat(1024), message: '厅'.repeat(512) };
  let status = beginRun(undefined, START);
  for (let round = 0; round < 12; round += 1) {
    for (const metric of run.metrics) status = addMeasurement(status, metric, answer);
  }
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(1_000_000);
});

describe('89: what is measured when', () => {
  const at = (seconds: number) => START + seconds * 1000;
  const plan = (run: HookRunSpec, made: [name: string, letter: Letter, second: number][], second: number) => {
    let status = beginRun(undefined, START);
    for (const [name, letter, made_at] of made) {
      const metric = run.metrics.find((candidate) => candidate.name === name) as Metric;
      status = addMeasurement(status, metric, measured(letter, at(made_at)));
    }
    const { due, nextAtMs } = planMeasurements(run, status, at(second));
    return [due.map(({ name }) => name).join(), nextAtMs === undefined ? undefined : (nextAtMs - START) / 1000];
  };
  const table: [string, HookRunSpec, [string, Letter, number][], number, [string, number | undefined]][] = [
    ['interval 30 s, finished at 1 s', spec({}, { interval: '30s' }), [['m0', 'F', 1]], 2, ['', 31]],
    ['the same when it is time', spec({}, { interval: '30s' }), [['m0', 'F', 1]], 31, ['m0', undefined]],
    ['an error without interval', spec({}, {}), [['m0', 'E', 1]], 2, ['', 11]],
    ['an error with interval', spec({}, { interval: '30s' }), [['m0', 'E', 1]], 2, ['', 31]],
    ['initialDelay 1 s', spec({}, { initialDelay: '1s' }), [], 0, ['', 1]],
    ['Parallel: all that is due', spec({}, {}, {}), [], 0, ['m0,m1', undefined]],
    ['Ordered: one after the other', spec({ policy: 'Ordered' }, {}, {}), [], 0, ['m0', undefined]],
    ['Ordered: the next once one ended', spec({ policy: 'Ordered' }, {}, {}), [['m0', 'S', 1]], 1, ['m1', undefined]],
    ['nothing left', spec({}, {}), [['m0', 'S', 1]], 2, ['', undefined]],
    [
      'the earliest of several',
      spec({}, { interval: '9s' }, { interval: '5s' }),
      [
        ['m0', 'F', 1],
        ['m1', 'F', 2],
      ],
      3,
      ['', 7],
    ],
  ];
  it.each(table)('%s', (_title, run, made, second, want) => {
    expect(plan(run, made, second)).toEqual(want);
  });
});
