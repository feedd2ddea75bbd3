/** Label selectors as text, the way the API takes them in `labelSelector` and status shows them for `scale`. */
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
