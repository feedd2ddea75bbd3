/** The same samples judge the schemas of the CRDs, which go by the same patterns. */
import { describe, expect, it } from 'vitest';
import { labelKey, labelMap, labelValue } from '../crds/label.ts';
import { isLabelKey, isLabelValue, isRevisionName, validLabels } from './label-syntax.ts';

const KEYS: [key: string, isGood: boolean][] = [
  ['app', true],
  ['App_2.x-y', true],
  ['example.com/app', true],
  [`${'p'.repeat(253)}/${'n'.repeat(63)}`, true],
  [`${'p'.repeat(254)}/n`, false],
  ['n'.repeat(64), false],
  ['', false],
  ['-app', false],
  ['app.', false],
  ['a b', false],
  ['Example.com/app', false],
  ['a..b/app', false],
  ['/app', false],
  ['a/', false],
  ['a/b/c', false],
  ['app\n', false],
];

const VALUES: [value: string, isGood: boolean][] = [
  ['', true],
  ['v1', true],
  ['V1.2_3-x', true],
  ['v'.repeat(63), true],
  ['v'.repeat(64), false],
  ['v1+build', false],
  ['a/b', false],
  ['-a', false],
  ['a.', false],
  ['a b', false],
  ['a\n', false],
  ['ä', false],
];

describe('a label', () => {
  it.each(KEYS)('key %j: %s', (key, isGood) => {
    expect(isLabelKey(key)).toBe(isGood);
    expect(labelKey.safeParse(key).success).toBe(isGood);
    expect(labelMap.safeParse({ [key]: 'x' }).success).toBe(isGood);
  });

  it.each(VALUES)('value %j: %s', (value, isGood) => {
    expect(isLabelValue(value)).toBe(isGood);
    expect(labelValue.safeParse(value).success).toBe(isGood);
    expect(labelMap.safeParse({ app: value }).success).toBe(isGood);
  });

  it('is left out where the API would not take it', () => {
    expect(validLabels({ app: 'lobby', version: 'v1+build', 'a b': 'x', number: 1, none: null })).toEqual({
      app: 'lobby',
    });
    expect(validLabels()).toEqual({});
  });
});

it.each([
  ['lobby-6fd4', true],
  ['lobby.eu-6fd4', true],
  ['Lobby-6fd4', false],
  ['lobby_6fd4', false],
  ['lobby-.x', false],
  ['', false],
  ['a'.repeat(254), false],
])('%j is the name of a revision: %s', (name, isGood) => {
  expect(isRevisionName(name)).toBe(isGood);
});
