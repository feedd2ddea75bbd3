import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../crds/kubernetes.ts';
import { isSelected, selectorText } from './label-selector.ts';

const cases: [string, LabelSelector, string][] = [
  ['an empty selector', {}, ''],
  ['labels are sorted', { matchLabels: { b: '2', a: '1' } }, 'a=1,b=2'],
  [
    'every operator',
    {
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['y', 'x'] },
        { key: 'env', operator: 'NotIn', values: ['test'] },
        { key: 'app', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    },
    '!old,app,env notin (test),tier in (x,y)',
  ],
  [
    'labels come before expressions',
    { matchLabels: { z: '1' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    'z=1,a',
  ],
];

describe('selectorText', () => {
  it.each(cases)('%s', (_sentence, selector, want) => {
    expect(selectorText(selector)).toBe(want);
  });
});

describe('isSelected', () => {
  const expression = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]): LabelSelector => ({
    matchExpressions: [{ key: 'tier', operator, values }],
  });
  it.each<[string, LabelSelector, boolean, boolean, boolean]>([
    ['an equality', { matchLabels: { tier: 'x' } }, true, false, false],
    ['In', expression('In', ['x', 'z']), true, false, false],
    ['NotIn', expression('NotIn', ['x', 'z']), false, true, true],
    ['Exists', expression('Exists'), true, true, false],
    ['DoesNotExist', expression('DoesNotExist'), false, false, true],
    ['both parts', { matchLabels: { tier: 'y' }, ...expression('In', ['x', 'y']) }, false, true, false],
    ['an empty selector', {}, true, true, true],
  ])('%s: asked of tier=x, of tier=y and of no tier', (_sentence, selector, x, y, none) => {
    const answers = [{ tier: 'x' }, { tier: 'y' }, undefined].map((labels) => isSelected(selector, labels));
    expect(answers).toEqual([x, y, none]);
  });
});
