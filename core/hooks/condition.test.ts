import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import { assess } from './condition.ts';
import type { Value } from './expression/syntax.ts';

describe('what a value means (game-workloads §3.3, progressive-delivery §2.7)', () => {
  const table: [row: string, success: string | undefined, failure: string | undefined, result: Value, HookPhase][] = [
    ['M1: no conditions', undefined, undefined, 'x', 'Successful'],
    ['empty conditions are none', '', '', 'x', 'Successful'],
    ['M2: S true, F false', 'true', 'false', 'x', 'Successful'],
    ['M3: S true, F true', 'true', 'true', 'x', 'Failed'],
    ['M4: S false, F false', 'false', 'false', 'x', 'Inconclusive'],
    ['S false, F true', 'false', 'true', 'x', 'Failed'],
    ['M6: only S, false', 'false', undefined, 'x', 'Failed'],
    ['only F, false', undefined, 'false', 'x', 'Successful'],
    ['only F, true', undefined, 'true', 'x', 'Failed'],
    ['M7: S names an unknown variable', 'foo > 1', 'true', 'x', 'Error'],
    ['M8: F does not parse', 'true', 'a >', 'x', 'Error'],
    ['M9: a condition that is no truth value', '1 + 1', undefined, 'x', 'Error'],
    ['M11: an empty list is indexed', 'result[0] > 1', undefined, [], 'Error'],
    ['M12: an empty list is accepted', 'len(result) == 0', undefined, [], 'Successful'],
    ['M13: an empty list is refused', 'len(result) > 0', undefined, [], 'Failed'],
    ['M14: NaN', 'result >= .9', 'result < .9', Number.NaN, 'Inconclusive'],
    ['M16: NaN that is asked for', 'result >= .9 or isNaN(result)', undefined, Number.NaN, 'Successful'],
    [
      'M17: NaN, only F: the provider prometheus lets none come here',
      undefined,
      'result < .9',
      Number.NaN,
      'Successful',
    ],
    ['M18: infinite', 'result >= .9', undefined, Number.POSITIVE_INFINITY, 'Successful'],
    ['M19: infinite, and that fails', undefined, 'isInf(result)', Number.POSITIVE_INFINITY, 'Failed'],
    ['M21: all of a list', 'all(result, {# > 10})', undefined, [11, 12, 13, 14], 'Successful'],
    ['W13: any of a list', 'any(result, {# > 5})', undefined, [1, 6], 'Successful'],
    ['W13: none of a list', 'any(result, {# > 6})', undefined, [1, 6], 'Failed'],
    ['W3: text as a number', 'asInt(result) > 0', undefined, '1', 'Successful'],
    ['W4: text as a number', 'asInt(result) > 0', undefined, '0', 'Failed'],
    ['94: 45 < 30', 'asInt(result) < 30', undefined, '45', 'Failed'],
    ['94: 45 > 30', 'asInt(result) > 30', undefined, '45', 'Successful'],
    ['a type error is no success', 'result != 45', undefined, '45', 'Error'],
    ['a type error in F is no success', undefined, 'result > 45', '45', 'Error'],
  ];
  it.each(table)('%s', (_row, successCondition, failureCondition, result, want) => {
    expect(assess({ successCondition, failureCondition }, result).phase).toBe(want);
  });

  it('names the field and the column, not the value', () => {
    const { message } = assess({ successCondition: 'result > 30' }, 'secret');
    expect(message).toBe('successCondition: > cannot compare a string with a number, use asInt or asFloat (column 8)');
  });
});
