/** What a workload's loop leaves out, so that a small rollout costs little (docs/adr/0018). */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Observation } from '../../activities/types.ts';
import type { Blocker } from '../../core/plan/types.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import {
  ActivityFailure,
  allow,
  allowance,
  carried,
  close,
  done as moved,
  names,
  play,
  ring,
  seen,
  stage,
  TemporalFailure,
  told,
} from '../../test/support/workload-stage.ts';
import { RULES_MEMO, WORKLOAD_RULES } from '../rules.ts';

const FIRST_RULES = {};
const writes = () => names().filter((name) => name === 'report');

describe('a template without a revision', () => {
  const unrecorded = seen({ updateRevision: null, generation: 2 });

  it('is recorded, and what is seen right after is acted on as a look', async () => {
    stage.activities.recordRevision = () => ({
      ...{ updateRevision: 'r2', written: {} },
      seen: seen({ generation: 2, moves: [close] }),
    });
    await play([unrecorded], carried());
    expect(told('recordRevision')).toMatchObject([{ look: { uid: 'u', context: { stableRevision: 'r1' } } }]);
    expect(names()).toContain('updatePodsInPlace');
  });

  it.each([
    { what: 'another object', sight: { uid: 'other' } },
    { what: 'an object that is being deleted', sight: { deleting: true } },
    { what: 'a template that changed again', sight: { updateRevision: null } },
  ])('is left to the next look where that shows $what', async ({ sight }) => {
    stage.activities.recordRevision = () => ({
      updateRevision: 'r2',
      written: {},
      seen: seen({ moves: [close], ...sight }),
    });
    await play([unrecorded], carried());
    expect(names()).not.toContain('updatePodsInPlace');
  });
});

describe('a rollout that has just been started', () => {
  const starts = (isNew: boolean) => {
    stage.activities.startRollout = () => ({ number: 1, restarted: false, isOver: false, isNew });
  };
  const settled = () => carried({ rollout: null });

  it('knows the spec that it was started with', async () => {
    starts(true);
    await play([seen(), seen()], settled());
    expect(told('signal revise')).toEqual([]);
  });

  it('is told of the spec where its first word came under a number that was not known yet', async () => {
    stage.activities.startRollout = () => ({ number: 7, restarted: false, isOver: false, isNew: true });
    await play([seen()], settled());
    expect(told('signal revise')).toHaveLength(1);
  });

  it('has its first word heard although that comes before the answer', async () => {
    stage.activities.startRollout = () => {
      allow(1)();
      return { number: 1, restarted: false, isOver: false, isNew: true };
    };
    await play([seen({ moves: [close] }), seen({ moves: [close] })], settled());
    expect(names()).toContain('updatePodsInPlace');
  });

  it('that says nothing holds up no status', async () => {
    starts(true);
    vi.useFakeTimers({ now: 0 });
    const late = () => {
      vi.setSystemTime(2_000);
      return seen({ inTransition: true, isQuiet: false });
    };
    await play([seen(), late], settled()).finally(() => vi.useRealTimers());
    expect(writes()).toHaveLength(1);
  });

  it('is told of the spec where it ran already', async () => {
    starts(false);
    await play([seen()], settled());
    expect(told('signal revise')).toHaveLength(1);
  });

  it('has a first word to say before a status is written', async () => {
    starts(true);
    await play([seen()], settled());
    expect(writes()).toEqual([]);
  });
});

describe('a status that the next moment overtakes', () => {
  const done = seen({ reached: true });

  it('is not written: the rollout answers what was reached', async () => {
    stage.activities['signal reached'] = allow(6, { partition: 0 });
    await play([done, seen({ partition: 0 })], carried());
    expect(writes()).toHaveLength(1);
  });

  it('is written after all where no answer comes, soon', async () => {
    await play([done, done], carried());
    expect(told('wait').some((ms) => Number(ms) > 1_000 && Number(ms) <= 1_500)).toBe(true);
    expect(writes()).toHaveLength(1);
  });

  it('is written where the rollout only hears again what it knows', async () => {
    stage.activities['signal reached'] = allow(6);
    await play([done, done], carried());
    expect(told('signal reached')).toHaveLength(2);
    expect(writes()).toHaveLength(1);
  });

  it('is not written where a bell rang, but bells do not hold it up for ever', async () => {
    const rung = () => {
      ring('pods')();
      return seen();
    };
    await play([rung, rung, rung, rung], carried());
    expect(writes().length).toBeGreaterThanOrEqual(1);
    expect(writes().length).toBeLessThan(4);
  });

  it('of a wave that has only begun is not written, in runs of before it is', async () => {
    await play([seen({ moves: [close] })], carried());
    expect(writes()).toEqual([]);
    stage.memo = FIRST_RULES;
    await play([seen({ moves: [close] })], carried());
    expect(writes()).toHaveLength(1);
  });
});

describe('a status of a wave', () => {
  const broken = { reason: 'ImagePullBackOff', message: 'lobby-a cannot pull its image' } as unknown as Blocker;
  /** In the second wave: what moves for so short a time as the first is not shown. */
  const playWaves = async (changes: Partial<Observation>) => {
    vi.useFakeTimers({ now: 0 });
    const late = () => {
      vi.setSystemTime(60_000);
      return seen({ moves: [close], ...changes });
    };
    await play([seen({ moves: [close] }), late], carried()).finally(() => vi.useRealTimers());
  };
  const written = () => names().filter((name) => /^(moves made|report|beside report)$/.test(name));

  beforeEach(() => {
    const note = (what: string) => () => {
      stage.story.push([what, undefined]);
    };
    stage.activities.updatePodsInPlace = async () => {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      note('moves made')();
      return moved;
    };
    stage.activities['beside report'] = note('beside report');
  });

  it('is written after it, beside the workflow', async () => {
    await playWaves({});
    expect(written()).toEqual(['moves made', 'moves made', 'report', 'beside report']);
  });

  it('is written at once, by an activity of its own, where a person is needed', async () => {
    await playWaves({ blockers: [broken] });
    expect(written()).toEqual(['moves made', 'report', 'moves made']);
  });

  it('is written during it in runs of before', async () => {
    stage.memo = { [RULES_MEMO]: 2 };
    await playWaves({});
    expect(written()).toEqual(['moves made', 'report', 'moves made']);
  });
});

it('a status that was not written, because another spec is there, is due again', async () => {
  stage.activities.report = () => undefined;
  await play([seen(), seen()], carried());
  expect(told('wait')).toContain(30_000);
});

it('a run of rules that are not known waits for a worker that knows them', async () => {
  stage.memo = { [RULES_MEMO]: WORKLOAD_RULES + 1 };
  await expect(play([seen()], carried())).rejects.toThrow('not known here');
});

it.each([
  { when: 'when it happens', failure: ActivityFailure },
  { when: 'when it is replayed', failure: TemporalFailure },
])('bookkeeping that fails beside the workflow is done by an activity, once, $when', async ({ failure }) => {
  stage.activities['beside report'] = () => Promise.reject(new failure());
  await play([seen(), seen()], carried());
  expect(writes()).toHaveLength(2);
});

it('a run of before gives none of its work to activities beside it', async () => {
  stage.memo = FIRST_RULES;
  stage.activities['beside report'] = () => Promise.reject(new Error('not known then'));
  const rollout: WorkloadState['rollout'] = { ...carried().rollout!, allowance: allowance({ paused: true }) };
  await play([seen()], carried({ rollout }));
  expect(writes()).toHaveLength(1);
});
