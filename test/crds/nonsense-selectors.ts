/** Nonsense in selectors, and in the labels that they are to match. */
import type { Nonsense } from './nonsense.ts';
import { makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const NOT_EMPTY = 'at least one label';
const MATCHES = 'every label of selector.matchLabels';
const SELECTOR = 'spec.selector';
const LABELS = 'spec.template.metadata.labels';

/** A wrong field of one requirement beside a good one. */
function requirement(name: string, wanted: object, field: string): Nonsense {
  const good = { key: 'app', operator: 'Exists' };
  const set = { 'spec.selector.matchExpressions': [good, { key: 'app', ...wanted }] };
  return { name, object: makeGameDeployment, set, wantPath: `spec.selector.matchExpressions[1].${field}` };
}

const selectors: Nonsense[] = [
  { name: 'no selector', object: makeGameDeployment, set: { [SELECTOR]: undefined }, wantPath: SELECTOR },
  {
    name: 'an empty selector',
    object: makeGameDeployment,
    set: { [SELECTOR]: {} },
    wantPath: SELECTOR,
    wantMessage: NOT_EMPTY,
  },
  {
    name: 'a selector with an empty matchLabels',
    object: makeGameStatefulSet,
    set: { [SELECTOR]: { matchLabels: {} } },
    wantPath: SELECTOR,
    wantMessage: NOT_EMPTY,
  },
  {
    name: 'a selector the template does not match',
    object: makeGameDeployment,
    set: { 'spec.selector.matchLabels.app': 'other' },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a selector with a label more than the template',
    object: makeGameStatefulSet,
    set: { 'spec.selector.matchLabels.tier': 'gold' },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a template without labels',
    object: makeGameDeployment,
    set: { 'spec.template.metadata': undefined },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a selector with an unknown operator',
    object: makeGameDeployment,
    set: { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'Equals', values: ['lobby'] }] },
    wantPath: 'spec.selector.matchExpressions[0].operator',
  },
  {
    name: 'a selector with a value longer than a label',
    object: makeGameDeployment,
    set: { 'spec.selector.matchLabels.app': 'x'.repeat(64) },
    wantPath: 'spec.selector.matchLabels.app',
  },
  requirement('In without values', { operator: 'In' }, 'values'),
  requirement('NotIn with an empty list', { operator: 'NotIn', values: [] }, 'values'),
  requirement('Exists with values', { operator: 'Exists', values: ['lobby'] }, 'values'),
  requirement('DoesNotExist with values', { key: 'old', operator: 'DoesNotExist', values: ['x'] }, 'values'),
  requirement('a key that is none', { key: 'a b', operator: 'DoesNotExist' }, 'key'),
  requirement('a value that no label has', { operator: 'NotIn', values: ['x', 'v1+build'] }, 'values[1]'),
];

/** The template has the label app=lobby. */
const mismatches: Nonsense[] = [
  { key: 'app', operator: 'In', values: ['x', 'y'] },
  { key: 'tier', operator: 'In', values: ['x'] },
  { key: 'app', operator: 'NotIn', values: ['x', 'lobby'] },
  { key: 'tier', operator: 'Exists' },
  { key: 'app', operator: 'DoesNotExist' },
].map((wanted) => ({
  name: `a template that does not meet ${wanted.operator} of ${wanted.key}`,
  object: makeGameDeployment,
  set: { 'spec.selector.matchExpressions': [wanted] },
  wantPath: LABELS,
  wantMessage: 'every requirement of selector.matchExpressions',
}));

const labels: Nonsense[] = [
  ...['v1+build', 'a b', '-a', 'a.', 'ä'].map((value) => ({
    name: `a label of the template with a value that the API does not take: ${value}`,
    object: makeGameDeployment,
    set: { [`${LABELS}.version`]: value },
    wantPath: `${LABELS}.version`,
    wantMessage: 'letters, digits',
  })),
  ...['a b', 'app.', '/app', 'a/b/c', 'Example.com/app', 'n'.repeat(64), `${'p'.repeat(254)}/n`].map((key) => ({
    name: `a label of the template with a key that the API does not take: ${key}`,
    object: makeGameStatefulSet,
    set: { [LABELS]: { app: 'lobby', [key]: 'x' } },
    wantPath: LABELS,
    wantMessage: 'key of a label',
  })),
  {
    name: 'a label of the selector and the template that the API does not take',
    object: makeGameStatefulSet,
    set: { 'spec.selector.matchLabels.version': 'v1+build', [`${LABELS}.version`]: 'v1+build' },
    wantPath: 'spec.selector.matchLabels.version',
    wantMessage: 'letters, digits',
  },
];

export const NONSENSE_IN_SELECTORS: readonly Nonsense[] = [...selectors, ...mismatches, ...labels];
