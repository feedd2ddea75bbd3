import { describe, expect, it } from 'vitest';
import type { Move } from '../plan/types.ts';
import { takeOutcomes, takeSight } from './bookkeeping.ts';
import { newWorkloadState } from './state.ts';

const deletion: Move = {
  ...{ act: 'delete', pod: 'lobby-a', uid: 'u-a', resourceVersion: '40', reason: 'test', spends: true },
};

const outcome = (changes: object = {}) => ({ unresolved: [], written: {}, gone: [], quorum: false, ...changes });

describe('the fence of a workload', () => {
  it('rises by what an observation saw, and never falls', () => {
    const state = newWorkloadState();
    takeSight(state, { fence: { written: { pods: '90' }, gone: [] }, unresolved: [], issued: [] });
    takeSight(state, { fence: { written: { pods: '9', hookruns: '3' }, gone: [] }, unresolved: [], issued: [] });
    expect(state.fence.written).toEqual({ pods: '90', hookruns: '3' });
  });

  it('keeps what must be gone over waves, until an observation has seen it', () => {
    const state = newWorkloadState();
    takeOutcomes(state, [deletion], [outcome({ gone: ['u-a'] })]);
    takeOutcomes(state, [], [outcome({ gone: ['u-b'] })]);
    expect(state.fence.gone).toEqual(['u-a', 'u-b']);
    takeSight(state, { fence: { written: {}, gone: [] }, unresolved: [], issued: [] });
    expect(state.fence.gone).toEqual([]);
  });
});
