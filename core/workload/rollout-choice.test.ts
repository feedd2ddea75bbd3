import { describe, expect, it } from 'vitest';
import { isProofDue, isRefusalOutdated } from './rollout-choice.ts';
import { newWorkloadState, type WorkloadState } from './state.ts';

const seen = (changes: object = {}) => ({ updateRevision: 'r2', stableRevision: 'r1', generation: 4, ...changes });
const state = (changes: Partial<WorkloadState> = {}) => ({ ...newWorkloadState(), ...changes });
const proof = { revision: 'r2', generation: 4 };
const invalid = { revision: 'r2', message: 'The API refuses spec.template' };

describe('the API is asked about a template', () => {
  it.each<[string, WorkloadState, ReturnType<typeof seen>, boolean]>([
    ['before pods move to it', state(), seen(), true],
    ['once', state({ proof }), seen({ generation: 5 }), false],
    ['not where pods run it already', state(), seen({ updateRevision: 'r1' }), false],
    ['again at the next edit, where it was refused', state({ proof, invalid }), seen({ generation: 5 }), true],
    ['not again without one', state({ proof, invalid }), seen(), false],
  ])('%s', (_sentence, given, looked, want) => {
    expect(isProofDue(given, looked)).toBe(want);
  });
});

describe('a template that was refused is outdated news', () => {
  const first = (changes: object = {}) => seen({ stableRevision: 'r2', ...changes });

  it.each<[string, WorkloadState, ReturnType<typeof seen>, boolean]>([
    [
      'at a first creation, where it is stable at once, after an edit',
      state({ proof, invalid }),
      first({ generation: 5 }),
      true,
    ],
    ['not without one', state({ proof, invalid }), first(), false],
    ['after a resync', state({ proof: { ...proof, isOutdated: true }, invalid }), first(), true],
    ['after a resync in a rollout', state({ proof: { ...proof, isOutdated: true }, invalid }), seen(), true],
    [
      'not where another one was refused',
      state({ proof, invalid }),
      seen({ updateRevision: 'r3', generation: 5 }),
      false,
    ],
    ['not where none was', state({ proof: { ...proof, isOutdated: true } }), seen({ generation: 5 }), false],
    ['not before it is recorded', state({ proof, invalid }), first({ updateRevision: null, generation: 5 }), false],
  ])('%s', (_sentence, given, looked, want) => {
    expect(isRefusalOutdated(given, looked)).toBe(want);
  });
});
