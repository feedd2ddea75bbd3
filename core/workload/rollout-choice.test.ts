import { describe, expect, it } from 'vitest';
import { isProofDue } from './rollout-choice.ts';
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
