/**
 * What nobody can mean, with the field that the refusal must name. One table for two judges: the API server (CEL and
 * OpenAPI, test/crds/refusals.test.ts) and zod (crds/rule.test.ts), so that the two never drift apart.
 */
import { NONSENSE_IN_BUDGETS } from './nonsense-budgets.ts';
import { NONSENSE_IN_HOOKS } from './nonsense-hooks.ts';
import { NONSENSE_IN_SELECTORS } from './nonsense-selectors.ts';
import { NONSENSE_IN_STEPS } from './nonsense-steps.ts';
import { NONSENSE_IN_WORKLOADS } from './nonsense-workloads.ts';
import type { Changes, MakeManifest } from './objects.ts';

export interface Nonsense {
  name: string;
  object: MakeManifest;
  /** Makes the object wrong. */
  set: Changes;
  /** The field that the refusal points at. */
  wantPath: string;
  /** Part of the sentence, where the rule is ours. */
  wantMessage?: string;
}

export const NONSENSE: readonly Nonsense[] = [
  ...NONSENSE_IN_SELECTORS,
  ...NONSENSE_IN_WORKLOADS,
  ...NONSENSE_IN_BUDGETS,
  ...NONSENSE_IN_STEPS,
  ...NONSENSE_IN_HOOKS,
];
