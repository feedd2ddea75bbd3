/** A template that the API refused is proven again when what refused it may be gone. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../activities/types.ts';
import type { Move } from '../../core/plan/types.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { carried, names, play, ring, seen, stage, told } from '../../test/support/workload-stage.ts';
import { RULES_MEMO } from '../rules.ts';

const create: Move = { act: 'create', pod: 'lobby-new', revision: 'r1', reason: '1 pod is missing' };
const REFUSAL = 'The API refuses spec.template.spec.subdomain';

/** Nothing was ever created: the revision became stable at once. */
const refused = (changes: Partial<WorkloadState> = {}): WorkloadState => ({
  ...carried({ rollout: null, updateRevision: 'r1' }),
  proof: { revision: 'r1', generation: 1 },
  invalid: { revision: 'r1', message: REFUSAL, sinceMs: 7 },
  ...changes,
});
const first = (changes: Partial<Observation> = {}) => seen({ updateRevision: 'r1', firstCreation: true, ...changes });
/** Unless a look ends them, stories without a bell end. */
const soon = { lookAgainAtMs: 1 };

describe('a first template that was refused', () => {
  const proofs = () => told('recordRevision').length;

  beforeEach(() => {
    stage.activities.recordRevision = () => ({ updateRevision: 'r1', written: {}, invalid: REFUSAL });
    stage.activities.createPods = () => ({ done: 1, moved: 0, unresolved: [], written: {}, gone: [], quorum: false });
  });

  it('is proven once more at the next edit of another field, and its pods come', async () => {
    stage.activities.recordRevision = () => ({
      ...{ updateRevision: 'r1', written: {} },
      seen: first({ generation: 2, moves: [create] }),
    });
    await play([first({ generation: 2 })], refused());
    expect(names()).toContain('createPods');
    expect(proofs()).toBe(1);
  });

  it('is not proven again while nothing has changed, and says since when it is refused', async () => {
    await play([first({ generation: 2 }), first({ generation: 2, ...soon }), first({ generation: 2 })], refused());
    expect(proofs()).toBe(1);
    expect(told('report').at(-1)).toMatchObject({ context: { invalid: { message: REFUSAL, sinceMs: 7 } } });
  });

  it('is proven at a resync: a policy that is gone changes no generation', async () => {
    const rung = () => {
      ring('resync')();
      return first(soon);
    };
    await play([first(soon), rung, first(soon), first()], refused());
    expect(proofs()).toBe(1);
  });

  it('is not proven at other bells', async () => {
    const rung = () => {
      ring('object')();
      return first(soon);
    };
    await play([rung, first(soon), first()], refused());
    expect(proofs()).toBe(0);
  });

  it('is proven again by runs of before as well: else they would wait for ever', async () => {
    stage.memo = { [RULES_MEMO]: 2 };
    await play([first({ generation: 2 }), first({ generation: 2 })], refused());
    expect(proofs()).toBe(1);
  });
});
