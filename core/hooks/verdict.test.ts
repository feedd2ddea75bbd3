/** Rows 79 to 84 of game-workloads §6 with decision 32, and the truth tables of progressive-delivery §2.7. */
import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { applyMeasurement, type FinishedMeasurement } from './verdict.ts';

const LETTERS = { S: 'Successful', F: 'Failed', E: 'Error', I: 'Inconclusive' } as const;
type Letter = keyof typeof LETTERS;

function metricOf(fields: Partial<Metric> = {}): Metric {
  return { name: 'm', provider: { web: { url: 'http://localhost' } }, ...fields };
}

function measured(letter: Letter): FinishedMeasurement {
  const at = '2026-01-01T00:00:00.000Z';
  return { phase: LETTERS[letter], startedAt: at, finishedAt: at };
}

/** Applies measurements such as "F E S" and tells after how many the result was terminal. */
function apply(metric: Metric, letters: string): { result: MetricResult; endedAfter: number | undefined } {
  let result: MetricResult | undefined;
  let endedAfter: number | undefined;
  for (const [index, letter] of letters.split(' ').entries()) {
    result = applyMeasurement(metric, result, measured(letter as Letter));
    if (result.phase !== 'Running') endedAfter ??= index + 1;
  }
  return { result: result as MetricResult, endedAfter };
}

const poll = { interval: '1s' };
const table: [row: string, metric: Partial<Metric>, letters: string, phase: HookPhase, endedAfter?: number][] = [
  ['79: a one-shot check that is false fails', { failureLimit: 0 }, 'F', 'Failed', 1],
  ['79: also with count 1', { count: 1 }, 'F', 'Failed', 1],
  ['79: also where a failure would be tolerated', { count: 1, failureLimit: 1 }, 'F', 'Failed', 1],
  ['80: a one-shot error is retried', {}, 'E E E E', 'Running'],
  ['80: the fifth error in a row is Error', {}, 'E E E E E', 'Error', 5],
  ['80: an error does not use up the one shot', {}, 'E E S', 'Successful', 3],
  ['80: nor does it turn a failure into a success', {}, 'E E F', 'Failed', 3],
  ['81: count 3, failureLimit 2, F F F', { ...poll, count: 3, failureLimit: 2 }, 'F F F', 'Failed', 3],
  ['81: count 3, failureLimit 1, F F', { ...poll, count: 3, failureLimit: 1 }, 'F F', 'Failed', 2],
  ['82: successfulLimit 1, F E F S', { ...poll, successfulLimit: 1 }, 'F E F S', 'Successful', 4],
  ['83: consecutiveSuccessfulLimit 2, S F S S', { ...poll, consecutiveSuccessfulLimit: 2 }, 'S F S S', 'Successful', 4],
  ['83: an error breaks the row', { ...poll, consecutiveSuccessfulLimit: 2 }, 'S E S S', 'Successful', 4],
  ['84: consecutiveErrorLimit 1, E F E E', { ...poll, consecutiveErrorLimit: 1 }, 'E F E E', 'Error', 4],
  ['a poll has no error limit of its own', poll, 'E E E E E E E', 'Running'],
  ['a poll with failureLimit 2 fails at the third failure', { ...poll, failureLimit: 2 }, 'F S F F', 'Failed', 4],
  ['a poll with failureLimit 0 goes on', { ...poll, failureLimit: 0 }, 'F F F', 'Running'],
  ['counted with limit 0 fails at the first failure', { ...poll, count: 2, failureLimit: 0 }, 'S F', 'Failed', 2],
  ['counted: errors do not count', { ...poll, count: 2 }, 'E E E S', 'Running'],
  ['counted: ends with its count', { ...poll, count: 2 }, 'S E S', 'Successful', 3],
  ['counted: tolerated failures', { ...poll, count: 3, failureLimit: 2 }, 'F S F', 'Successful', 3],
  ['counted: the fifth error in a row', { ...poll, count: 2 }, 'S E E E E E', 'Error', 6],
  ['counted: too few successes', { ...poll, count: 2, failureLimit: 1, successfulLimit: 2 }, 'S F', 'Inconclusive', 2],
  ['counted: early end', { ...poll, count: 5, successfulLimit: 2 }, 'S S', 'Successful', 2],
  ['L8: inconclusive, default limit', poll, 'I', 'Inconclusive', 1],
  ['L6: inconclusiveLimit 2', { ...poll, inconclusiveLimit: 2 }, 'I I I', 'Inconclusive', 3],
  ['L7: inconclusiveLimit 3', { ...poll, inconclusiveLimit: 3 }, 'I I I', 'Running'],
  ['one-shot inconclusive', { inconclusiveLimit: 1 }, 'I', 'Inconclusive', 1],
  ['L31: a terminal result never changes', {}, 'S F E I', 'Successful', 1],
  ['the failure comes first in the order', { ...poll, failureLimit: 1, successfulLimit: 1 }, 'F F', 'Failed', 2],
];

describe('a metric', () => {
  it.each(table)('%s', (_row, fields, letters, phase, endedAfter) => {
    const { result, endedAfter: ended } = apply(metricOf(fields), letters);
    expect([result.phase, ended]).toEqual([phase, endedAfter]);
  });

  it('keeps the last ten measurements and counts all', () => {
    const { result } = apply(metricOf(poll), Array(25).fill('F').join(' '));
    expect([result.measurements?.length, result.failed, result.count]).toEqual([10, 25, 25]);
  });

  it('keeps all of the last measurement, of those before it the beginning', () => {
    const answer = { ...measured('F'), value: 'v'.repeat(1024), message: 'm'.repeat(512) };
    const first = applyMeasurement(metricOf(poll), undefined, answer);
    const { measurements = [] } = applyMeasurement(metricOf(poll), first, answer);
    expect(measurements.map(({ value = '', message = '' }) => [value.length, message.length])).toEqual([
      [64, 128],
      [1024, 512],
    ]);
  });

  it('says why it ended', () => {
    const metric = metricOf();
    let result: MetricResult | undefined;
    for (let made = 0; made < 5; made += 1) {
      result = applyMeasurement(metric, result, { ...measured('E'), message: 'connection refused' });
    }
    expect(result?.message).toBe('could not be measured 5 times in a row: connection refused');
    const once = applyMeasurement(metricOf({ consecutiveErrorLimit: 0 }), undefined, measured('E'));
    expect(once.message).toBe('could not be measured');
  });
});
