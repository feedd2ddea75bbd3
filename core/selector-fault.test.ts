import { expect, it } from 'vitest';
import type { LabelSelector, LabelSelectorRequirement } from '../crds/kubernetes.ts';
import { aWorkload, templateOf } from '../test/support/pods.ts';
import { selectorFault } from './selector-fault.ts';

const LABELS = 'spec.template.metadata.labels: the selector would not match a pod, it wants';

const wanted = (
  operator: LabelSelectorRequirement['operator'],
  values?: string[],
  key = 'tier',
): [LabelSelectorRequirement] => [values === undefined ? { key, operator } : { key, operator, values }];

it.each<[string, LabelSelector, Record<string, string> | undefined, string | undefined]>([
  ['matches', { matchLabels: { app: 'lobby' } }, { app: 'lobby' }, undefined],
  ['has another value', { matchLabels: { app: 'lobby' } }, { app: 'x' }, `${LABELS} the label app=lobby`],
  ['has no labels', { matchLabels: { app: 'lobby' } }, undefined, `${LABELS} the label app=lobby`],
  ['meets In', { matchExpressions: wanted('In', ['a', 'b']) }, { tier: 'b' }, undefined],
  [
    'does not meet In',
    { matchExpressions: wanted('In', ['a', 'b']) },
    { tier: 'c' },
    `${LABELS} a label tier that is one of a, b`,
  ],
  [
    'does not meet NotIn',
    { matchExpressions: wanted('NotIn', ['a']) },
    { tier: 'a' },
    `${LABELS} no label tier that is one of a`,
  ],
  ['does not meet Exists', { matchExpressions: wanted('Exists') }, { app: 'x' }, `${LABELS} a label tier`],
  ['does not meet DoesNotExist', { matchExpressions: wanted('DoesNotExist') }, { tier: '' }, `${LABELS} no label tier`],
  [
    'of a selector with a bad label',
    { matchLabels: { version: 'v1+build' } },
    { version: 'v1+build' },
    'spec.selector.matchLabels: version=v1+build is no label that the API takes',
  ],
  [
    'of a requirement with a bad key',
    { matchLabels: { app: 'lobby' }, matchExpressions: wanted('DoesNotExist', undefined, 'a b') },
    { app: 'lobby' },
    'spec.selector.matchExpressions[0].key: a b is no key of a label',
  ],
  [
    'of a requirement with a bad value',
    { matchExpressions: wanted('NotIn', ['a', 'b+']) },
    {},
    'spec.selector.matchExpressions[0].values: b+ is no value of a label',
  ],
  [
    'of NotIn without values',
    { matchExpressions: wanted('NotIn', []) },
    {},
    'spec.selector.matchExpressions[0].values: NotIn needs at least one',
  ],
  [
    'of Exists with values',
    { matchExpressions: [...wanted('NotIn', ['a']), ...wanted('Exists', ['a'])] },
    { tier: 'b' },
    'spec.selector.matchExpressions[1].values: Exists takes none',
  ],
])('a template that %s', (_sentence, selector, labels, want) => {
  const template = { ...templateOf('game:1'), metadata: labels === undefined ? {} : { labels } };
  expect(selectorFault(aWorkload({ selector, template }))).toBe(want);
});
