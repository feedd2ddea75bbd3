/** What holds of every metric, run and order of measurements; the walks are seeded. */
import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRunSpec, HookRunStatus, MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { Random } from '../model/random.ts';
import { isTerminal } from './phases.ts';
import { addMeasurement, beginRun, briefStatus, isFurther, settleRun, takeUp } from './run.ts';
import { planMeasurements, resultOf } from './schedule.ts';
import { applyMeasurement, type FinishedMeasurement } from './verdict.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const PHASES = ['Successful', 'Failed', 'Error', 'Inconclusive'] as const;
type Made = (typeof PHASES)[number];
const ROUNDS = 3_000;

const measured = (phase: Made, second = 0): FinishedMeasurement => {
  const at = new Date(START + second * 1000).toISOString();
  return { phase, startedAt: at, finishedAt: at };
};

function someMetric(random: Random, name = 'm'): Metric {
  const some = (limit: number) => (random.chance(0.5) ? random.below(limit) : undefined);
  const count = some(6);
  return {
    ...{ name, provider: {}, interval: random.chance(0.8) || (count ?? 0) > 1 ? '1s' : undefined, count },
    ...{ failureLimit: some(4), inconclusiveLimit: some(3), consecutiveErrorLimit: some(4), successfulLimit: some(5) },
    ...{ consecutiveSuccessfulLimit: random.chance(0.4) ? 1 + random.below(3) : undefined },
  };
}

const somePhases = (random: Random, most: number): Made[] =>
  Array.from({ length: random.below(most) }, () => random.pick(PHASES) as Made);

/** The results after each measurement. */
function walk(metric: Metric, phases: readonly Made[]): MetricResult[] {
  const results: MetricResult[] = [];
  for (const phase of phases) results.push(applyMeasurement(metric, results.at(-1), measured(phase)));
  return results;
}

describe.each([1, 2, 3])('every metric (seed %i)', (seed) => {
  it('keeps its verdict, whatever is measured later', () => {
    const random = new Random(seed);
    let verdicts = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const results = walk(someMetric(random), somePhases(random, 20));
      const first = results.find(({ phase }) => isTerminal(phase));
      if (first === undefined) continue;
      verdicts += 1;
      expect(results.at(-1)).toEqual(first);
    }
    expect(verdicts).toBeGreaterThan(ROUNDS / 2);
  });

  it('counts what was measured, and keeps the last ten', () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const phases = somePhases(random, 20);
      for (const [index, result] of walk({ ...someMetric(random), count: 0, interval: '1s' }, phases).entries()) {
        if (isTerminal(result.phase)) break;
        const made = phases.slice(0, index + 1);
        const number = (phase: Made) => made.filter((each) => each === phase).length;
        expect(result).toMatchObject({
          ...{ successful: number('Successful'), failed: number('Failed'), error: number('Error') },
          ...{ inconclusive: number('Inconclusive'), count: made.length - number('Error') },
        });
        expect(result.measurements?.map(({ phase }) => phase)).toEqual(made.slice(-10));
      }
    }
  });

  it('is made no worse by one more success, unless that was the last its count allows', () => {
    const worstFirst: HookPhase[] = ['Failed', 'Error', 'Inconclusive', 'Running', 'Successful'];
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const metric = someMetric(random);
      const phases = somePhases(random, 12);
      const before = walk(metric, phases).at(-1);
      const after = walk(metric, [...phases, 'Successful']).at(-1) as MetricResult;
      if (before?.phase === 'Running' && after.phase === 'Inconclusive') {
        expect([after.count, after.message]).toEqual([metric.count, expect.stringContaining('too few')]);
      } else {
        expect(worstFirst.indexOf(after.phase)).toBeGreaterThanOrEqual(worstFirst.indexOf(before?.phase ?? 'Running'));
      }
    }
  });

  it('stays a success where something before it had been a success, too', () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const metric = someMetric(random);
      const phases = somePhases(random, 12);
      if (phases.length === 0) continue;
      const better = phases.with(random.below(phases.length), 'Successful');
      const [worse, good] = [walk(metric, phases), walk(metric, better)];
      // An error is not counted: what replaces it may use up the count.
      if (metric.count !== undefined && metric.count > 0 && phases.includes('Error')) continue;
      const end = worse.findIndex(({ phase }) => isTerminal(phase));
      if (end < 0 || worse[end]?.phase !== 'Successful') continue;
      expect(good[end]?.phase).toBe('Successful');
    }
  });
});

function someRun(random: Random): HookRunSpec {
  const metrics = Array.from({ length: 1 + random.below(4) }, (_, index) => someMetric(random, `m${index}`));
  return { metrics, policy: random.chance(0.3) ? 'Ordered' : 'Parallel' };
}

/** One round after the other, each measuring what is due, until the run ends or the rounds are over. */
function rounds(
  spec: HookRunSpec,
  random: Random,
  between: (status: HookRunStatus) => HookRunStatus = (status) => status,
  order: (due: Metric[]) => Metric[] = (due) => due,
): HookRunStatus {
  let status = beginRun(undefined, START);
  for (let second = 0; second < 15 && !isTerminal(status.phase); second += 1) {
    const { due } = planMeasurements(spec, status, START + second * 1000);
    const made = new Map(due.map((metric) => [metric, measured(random.pick(PHASES) as Made, second)]));
    for (const metric of order(due)) status = addMeasurement(status, metric, made.get(metric) as FinishedMeasurement);
    status = between(settleRun(spec, status, START + second * 1000));
  }
  return status;
}

/** Without the order in which metrics came first. */
const sorted = (status: HookRunStatus) => ({
  ...status,
  metricResults: status.metricResults?.toSorted((a, b) => a.name.localeCompare(b.name)),
});

describe.each([4, 5, 6])('every run (seed %i)', (seed) => {
  const each = (check: (spec: HookRunSpec, walkSeed: number) => void) => {
    const random = new Random(seed);
    for (let round = 0; round < 1_000; round += 1) check(someRun(random), random.below(1e9));
  };

  it('ends the same, in whichever order the metrics of a round come back', () => {
    each((spec, walkSeed) => {
      const shuffling = new Random(walkSeed + 1);
      const shuffled = (due: Metric[]) => due.toSorted(() => shuffling.next() - 0.5);
      const straight = rounds(spec, new Random(walkSeed));
      expect(sorted(rounds(spec, new Random(walkSeed), undefined, shuffled))).toEqual(sorted(straight));
    });
  });

  it('39: ends the same, wherever it is taken up again from what was told', () => {
    each((spec, walkSeed) => {
      const dying = new Random(walkSeed + 1);
      const resumed = (status: HookRunStatus) =>
        dying.chance(0.5) && !isTerminal(status.phase)
          ? takeUp(
              beginRun(undefined, START + 99_000),
              JSON.parse(JSON.stringify(briefStatus(status))) as HookRunStatus,
            )
          : status;
      const phasesOf = ({ phase, message, metricResults = [] }: HookRunStatus) => [
        phase,
        message,
        metricResults.map(({ measurements: _, ...counters }) => counters),
      ];
      expect(phasesOf(rounds(spec, new Random(walkSeed), resumed))).toEqual(
        phasesOf(rounds(spec, new Random(walkSeed))),
      );
    });
  });

  it('keeps its verdict, and is successful only if all its metrics are', () => {
    each((spec, walkSeed) => {
      const status = rounds(spec, new Random(walkSeed));
      const phases = spec.metrics.map(({ name }) => resultOf(status, name)?.phase);
      expect(status.phase === 'Successful').toBe(phases.every((phase) => phase === 'Successful'));
      if (!isTerminal(status.phase)) return;
      expect(phases.every(isTerminal)).toBe(true);
      expect(settleRun({ ...spec, terminate: true }, status, START + 1e9)).toEqual(status);
      expect(isFurther({ ...status, phase: 'Successful' }, status)).toBe(false);
    });
  });

  it('that is terminated ends at once, and not well unless it had', () => {
    each((spec, walkSeed) => {
      const status = rounds(spec, new Random(walkSeed));
      const ended = settleRun({ ...spec, terminate: true }, status, START + 20_000);
      expect(isTerminal(ended.phase)).toBe(true);
      expect(ended.phase === 'Successful').toBe(status.phase === 'Successful');
    });
  });
});
