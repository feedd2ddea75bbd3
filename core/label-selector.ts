/** Label selectors: as text, the way the API takes them in `labelSelector` and status shows them for `scale`, and as a question. */
import type { LabelSelector, LabelSelectorRequirement } from '../crds/kubernetes.ts';

/** Complete and sorted, so that equal selectors give one text; an empty selector gives an empty text. */
export function selectorText(selector: LabelSelector): string {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const requirements = (selector.matchExpressions ?? []).map(requirementText);
  return [...equalities.sort(), ...requirements.sort()].join(',');
}

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  const list = `(${[...values].sort().join(',')})`;
  switch (operator) {
    case 'In':
      return `${key} in ${list}`;
    case 'NotIn':
      return `${key} notin ${list}`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

/** Does an object with these labels match? As the API answers it: `NotIn` is true of a label that is not there. */
export function isSelected({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels = {}): boolean {
  const isEqual = ([key, value]: [string, string]) => labels[key] === value;
  return Object.entries(matchLabels).every(isEqual) && matchExpressions.every((each) => isMet(each, labels));
}

type Labels = Readonly<Record<string, string>>;

function isMet({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
