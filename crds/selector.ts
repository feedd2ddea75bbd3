/** Label selectors, and the rules that a workload selects the pods it makes. */
import { z } from 'zod';
import type { LabelSelector, LabelSelectorRequirement } from './kubernetes.ts';
import { labelKey, labelMap, labelValue } from './label.ts';
import { type Rule, withRules } from './rule.ts';

const requirementShape = z.object({
  key: labelKey,
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(labelValue).max(256).optional(),
});

const requirement = withRules(requirementShape, [
  {
    cel: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    message: 'In and NotIn need values; Exists and DoesNotExist take none.',
    reason: 'FieldValueInvalid',
    fieldPath: '.values',
    isGood: ({ operator, values = [] }) => (operator === 'In' || operator === 'NotIn') === values.length > 0,
  },
]);

const selectorShape = z.object({
  matchLabels: labelMap.optional(),
  matchExpressions: z.array(requirement).max(64).optional(),
});

export const selectorSchema = withRules(selectorShape, [
  {
    cel: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    message: 'The selector must name at least one label, because an empty one would select every pod of the namespace.',
    reason: 'FieldValueRequired',
    isGood: (selector) =>
      Object.keys(selector.matchLabels ?? {}).length > 0 || (selector.matchExpressions ?? []).length > 0,
  },
  {
    cel: 'self == oldSelf',
    message: 'The selector cannot be changed, because the pods it selected before would be lost sight of.',
    reason: 'FieldValueInvalid',
  },
]);

interface Selecting {
  selector: LabelSelector;
  template: { metadata?: { labels?: Record<string, string> } };
}

const LABELS = 'self.template.metadata.labels';
const HAS_LABELS = `has(self.template.metadata) && has(${LABELS})`;

const matchesLabels: Rule<Selecting> = {
  cel: [
    '!has(self.selector.matchLabels) || size(self.selector.matchLabels) == 0',
    `(${HAS_LABELS} && self.selector.matchLabels.all(key, key in ${LABELS} && ${LABELS}[key] == self.selector.matchLabels[key]))`,
  ].join(' || '),
  message: 'The labels of the template must contain every label of selector.matchLabels with the same value.',
  reason: 'FieldValueInvalid',
  fieldPath: '.template.metadata.labels',
  isGood: ({ selector, template }) =>
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => template.metadata?.labels?.[key] === value),
};

const IS_THERE = `(${HAS_LABELS} && wanted.key in ${LABELS})`;
const IS_LISTED = `(${IS_THERE} && has(wanted.values) && ${LABELS}[wanted.key] in wanted.values)`;
const IS_MET = [
  `wanted.operator == 'In' ? ${IS_LISTED}`,
  `wanted.operator == 'NotIn' ? !${IS_LISTED}`,
  `wanted.operator == 'Exists' ? ${IS_THERE}`,
  `!${IS_THERE}`,
].join(' : ');

const meetsExpressions: Rule<Selecting> = {
  cel: `!has(self.selector.matchExpressions) || self.selector.matchExpressions.all(wanted, ${IS_MET})`,
  message: 'The labels of the template must meet every requirement of selector.matchExpressions.',
  reason: 'FieldValueInvalid',
  fieldPath: '.template.metadata.labels',
  isGood: ({ selector, template }) =>
    (selector.matchExpressions ?? []).every((wanted) => isMet(wanted, template.metadata?.labels ?? {})),
};

function isMet({ key, operator, values = [] }: LabelSelectorRequirement, labels: Record<string, string>): boolean {
  const value = labels[key];
  if (operator === 'Exists' || operator === 'DoesNotExist') return (operator === 'Exists') === (value !== undefined);
  return (operator === 'In') === (value !== undefined && values.includes(value));
}

/** Pods that the selector does not match would belong to nobody. What is stored already is told by the proof of a template. */
export const selectorMatchesTemplate: readonly Rule<Selecting>[] = [matchesLabels, meetsExpressions];
