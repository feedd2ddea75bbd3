/** Label selectors, and the rule that a workload selects the pods it makes. */
import { z } from 'zod';
import type { LabelSelector } from './kubernetes.ts';
import { labelMap } from './pod-template.ts';
import { type Rule, withRules } from './rule.ts';

const requirement = z.object({
  key: z.string().min(1).max(317),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string().max(63)).max(256).optional(),
});

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

/** Decision 3: only `matchLabels` is judged here; the planner judges the whole selector. */
export const selectorMatchesTemplate: Rule<Selecting> = {
  cel: [
    '!has(self.selector.matchLabels) || size(self.selector.matchLabels) == 0',
    '(has(self.template.metadata) && has(self.template.metadata.labels) && self.selector.matchLabels.all(key, key in self.template.metadata.labels && self.template.metadata.labels[key] == self.selector.matchLabels[key]))',
  ].join(' || '),
  message: 'The labels of the template must contain every label of selector.matchLabels with the same value.',
  reason: 'FieldValueInvalid',
  fieldPath: '.template.metadata.labels',
  isGood: ({ selector, template }) =>
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => template.metadata?.labels?.[key] === value),
};
