import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../crds/kubernetes.ts';
import { selectorText } from './label-selector.ts';

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
