/**
 * What is wrong with the selector of a workload, in words. The CRDs refuse all of it (crds/selector.ts); objects that are stored
 * already, under a laxer CRD, are told by the proof of their template. Pure.
 */
import type { GameWorkload } from '../crds/game-workload.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../crds/kubernetes.ts';
import { isSelected } from './label-selector.ts';
import { isLabelKey, isLabelValue } from './label-syntax.ts';

const SELECTOR = 'spec.selector';

/** One sentence without its full stop, with the path of the field; undefined where the selector matches the template. */
export function selectorFault({ spec: { selector, template } }: Pick<GameWorkload, 'spec'>): string | undefined {
  return labelFault(selector) ?? requirementFault(selector) ?? mismatch(selector, template.metadata?.labels);
}

function labelFault({ matchLabels = {} }: LabelSelector): string | undefined {
  const bad = Object.entries(matchLabels).find(([key, value]) => !isLabelKey(key) || !isLabelValue(value));
  return bad && `${SELECTOR}.matchLabels: ${bad[0]}=${bad[1]} is no label that the API takes`;
}

function requirementFault({ matchExpressions = [] }: LabelSelector): string | undefined {
  const faults = matchExpressions.map((wanted, at) => {
    const fault = faultOf(wanted);
    return fault && `${SELECTOR}.matchExpressions[${at}].${fault}`;
  });
  return faults.find((fault) => fault !== undefined);
}

function faultOf({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  if (!isLabelKey(key)) return `key: ${key} is no key of a label`;
  const bad = values.find((value) => !isLabelValue(value));
  if (bad !== undefined) return `values: ${bad} is no value of a label`;
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues === values.length > 0) return undefined;
  return `values: ${operator} ${takesValues ? 'needs at least one' : 'takes none'}`;
}

/** Pods of the template would be nobody's. */
function mismatch(selector: LabelSelector, labels: Record<string, string> = {}): string | undefined {
  const unmet = demandsOf(selector).find(({ alone }) => !isSelected(alone, labels));
  return unmet && `spec.template.metadata.labels: the selector would not match a pod, it wants ${unmet.words}`;
}

interface Demand {
  words: string;
  /** A selector that asks for nothing else. */
  alone: LabelSelector;
}

function demandsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Demand[] {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({
    words: `the label ${key}=${value}`,
    alone: { matchLabels: { [key]: value } },
  }));
  const requirements = matchExpressions.map((wanted) => ({
    words: wordsOf(wanted),
    alone: { matchExpressions: [wanted] },
  }));
  return [...labels, ...requirements];
}

function wordsOf({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `a label ${key} that is one of ${values.join(', ')}`;
    case 'NotIn':
      return `no label ${key} that is one of ${values.join(', ')}`;
    case 'Exists':
      return `a label ${key}`;
    case 'DoesNotExist':
      return `no label ${key}`;
  }
}
