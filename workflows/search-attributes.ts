/** Search attributes of Holdfast's workflows. They must be registered before a worker starts: an unknown one blocks a run. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

export const workloadAttribute = defineSearchAttributeKey('HoldfastWorkload', SearchAttributeType.KEYWORD);
export const phaseAttribute = defineSearchAttributeKey('HoldfastPhase', SearchAttributeType.KEYWORD);
export const stepAttribute = defineSearchAttributeKey('HoldfastStep', SearchAttributeType.INT);
export const pausedAttribute = defineSearchAttributeKey('HoldfastPaused', SearchAttributeType.BOOL);

/** What to register, by the names that `temporal operator search-attribute create` and `--search-attribute` take. */
export const SEARCH_ATTRIBUTES = [
  { name: workloadAttribute.name, type: 'Keyword' },
  { name: phaseAttribute.name, type: 'Keyword' },
  { name: stepAttribute.name, type: 'Int' },
  { name: pausedAttribute.name, type: 'Bool' },
] as const;
