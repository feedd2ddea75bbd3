/** Where a workload looks: beside the workflow for what is to be expected at once, parked for what comes with its pods. */
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../activities/types.ts';
import {
  ActivityFailure,
  allow,
  carried,
  close,
  done,
  names,
  play,
  ring,
  seen,
  stage,
  TemporalFailure,
  told,
} from '../../test/support/workload-stage.ts';
import { RULES_MEMO } from '../rules.ts';

/** Answers these looks beside the workflow, one after another, and says how often one was asked for. */
function beside(...answers: (Observation | undefined | (() => Observation | undefined))[]) {
  const asked: unknown[] = [];
  stage.activities.lookNow = async (request: unknown) => {
    asked.push(request);
    const answer = answers.shift();
    return typeof answer === 'function' ? answer() : answer;
  };
  return asked;
}

/** Counts the parked looks; the second one ends the story. */
async function parked(looks: Observation[] = [], state = carried()): Promise<number> {
  let count = 0;
  const counted = looks.map((look) => () => {
    count += 1;
    return look;
  });
  const over = () => {
    count += 1;
    throw new Error('over');
  };
  await play([...counted, over], state);
  return count;
}

describe('a workload', () => {
  it('acts on what it sees beside its workflow, and needs no parked look for it', async () => {
    beside(seen({ moves: [close] }));
    expect(await parked()).toBe(1);
    expect(names()).toContain('updatePodsInPlace');
  });

  it('waits parked where there is nothing to do yet', async () => {
    const asked = beside(undefined);
    expect(await parked()).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('waits parked for what its own wave brings', async () => {
    const asked = beside(seen({ moves: [close] }), seen());
    expect(await parked()).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('looks beside its workflow again when it was woken from a sleep', async () => {
    const asked = beside(seen(), seen({ moves: [close] }));
    stage.activities.report = () => ring('modified')() ?? {};
    await parked();
    expect(asked).toHaveLength(2);
  });

  it('looks beside its workflow again where a wave was ended by a word of its rollout', async () => {
    stage.activities.updatePodsInPlace = () => {
      allow(6, { paused: true })();
      return done;
    };
    const asked = beside(seen({ moves: [close] }), undefined);
    expect(await parked()).toBe(1);
    expect(asked).toMatchObject([{}, { context: { allowance: { paused: true } } }]);
  });

  it('does not park with an old request where a word came while it looked', async () => {
    const asked = beside(() => {
      allow(6, { paused: true })();
      return undefined;
    }, undefined);
    expect(await parked()).toBe(1);
    expect(asked).toMatchObject([
      { context: { allowance: { paused: false } } },
      { context: { allowance: { paused: true } } },
    ]);
  });

  it.each([ActivityFailure, TemporalFailure])('looks parked where a look beside it fails (%o)', async (Failure) => {
    beside(() => {
      throw new Failure();
    });
    expect(await parked()).toBe(1);
  });

  it('still needs facts of the apiserver where a look beside it saw none', async () => {
    const requests: unknown[] = [];
    beside(undefined);
    const take = (request: unknown) => {
      requests.push(request);
      throw new Error('over');
    };
    await play([take], carried({ needsQuorum: true }));
    expect(requests).toMatchObject([{ quorum: true }]);
  });

  it('of earlier rules parks for each look', async () => {
    stage.memo = { [RULES_MEMO]: 3 };
    const asked = beside(seen());
    expect(await parked()).toBe(1);
    expect(asked).toEqual([]);
  });
});

describe('a rollout is told', () => {
  const reached = seen({ reached: true });
  const via = () => {
    const ways: string[] = [];
    stage.activities.tell = () => void ways.push('beside');
    stage.activities['signal reached'] = () => void ways.push('by the server');
    return ways;
  };

  it('beside the workflow', async () => {
    const ways = via();
    await play([reached], carried());
    expect([ways, told('signal reached')]).toMatchObject([['beside'], [{ number: 1, sequence: 5 }]]);
  });

  it('by the server where that fails', async () => {
    const ways = via();
    stage.activities.tell = () => Promise.reject(new ActivityFailure());
    await play([reached], carried());
    expect(ways).toEqual(['by the server']);
  });

  it('by the server in a run of earlier rules', async () => {
    stage.memo = { [RULES_MEMO]: 3 };
    const ways = via();
    await play([reached], carried());
    expect(ways).toEqual(['by the server']);
  });
});

it('a workload remembers that all of its pods were there, whatever a status says', async () => {
  stage.activities.lookNow = () => undefined;
  const requests: unknown[] = [];
  const take = (request: unknown) => {
    requests.push(request);
    return seen();
  };
  await play([seen({ createdInFull: true, moves: [close] }), take], carried());
  expect(requests).toMatchObject([{ context: { createdInFull: true } }]);
});
