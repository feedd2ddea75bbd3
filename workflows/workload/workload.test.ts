/** What a workload's loop does between two looks. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation, ObserveRequest } from '../../activities/types.ts';
import { shownKey } from '../../core/plan/wave.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import {
  ActivityFailure,
  allow,
  allowance,
  carried,
  close,
  done,
  names,
  play,
  seen,
  spec,
  stage,
  told,
} from '../../test/support/workload-stage.ts';

describe('a rollout that speaks while a look is on its way', () => {
  it('hears what was reached of the allowance that it was reached under', async () => {
    stage.activities['signal revise'] = allow(6, { partition: 0 });
    const edited = { ...spec, stepsHash: 'other' };
    await play([seen({ reached: true, spec: edited })], carried());
    expect(told('signal reached')).toMatchObject([{ number: 1, sequence: 5, partition: 1 }]);
  });

  it('gets no wave of before its pause', async () => {
    stage.activities['signal revise'] = allow(6, { paused: true });
    const edited = { ...spec, stepsHash: 'other' };
    await play([seen({ moves: [close], spec: edited })], carried());
    expect(names()).not.toContain('updatePodsInPlace');
  });

  it('gets its wave where only the view changed', async () => {
    stage.activities['signal revise'] = allow(6);
    const edited = { ...spec, stepsHash: 'other' };
    await play([seen({ moves: [close], spec: edited })], carried());
    expect(names()).toContain('updatePodsInPlace');
  });
});

describe('a rollout that speaks while a wave is on its way', () => {
  const requests: ObserveRequest[] = [];
  const take = (request: ObserveRequest) => {
    requests.push(structuredClone(request));
    return seen();
  };
  const duringTheWave = (speak: () => void) => {
    stage.activities.updatePodsInPlace = () => {
      speak();
      return Promise.reject(new ActivityFailure());
    };
  };

  beforeEach(() => requests.splice(0));

  it('ends it; what nobody could say of it stays open', async () => {
    duringTheWave(allow(6, { paused: true }));
    await play([seen({ moves: [close] }), take], carried());
    expect(requests).toMatchObject([{ quorum: true, context: { allowance: { paused: true } } }]);
    expect(requests[0]?.context.unresolved).toMatchObject([{ act: 'close-gate', pod: 'lobby-a', outcome: 'unknown' }]);
  });

  it('lets it be where only the view changed', async () => {
    duringTheWave(allow(6));
    await expect(play([seen({ moves: [close] }), take], carried())).rejects.toThrow(ActivityFailure);
  });
});

it('a rollout hears of another deadline', async () => {
  const edited = { ...spec, progressDeadlineSeconds: 60 };
  await play([seen({ spec: edited }), seen({ spec: edited })], carried());
  expect(told('signal revise')).toMatchObject([{ progressDeadlineSeconds: 60 }]);
});

describe('a workload that asks for its pauses in the spec', () => {
  const view = {
    phase: 'Paused',
    message: '',
    stepIndex: 1,
    pause: { reason: 'PausedByCanaryPauseStep', startedAtMs: 7 },
  };
  const rollout = { ...carried().rollout, allowance: allowance({ paused: true }), view } as WorkloadState['rollout'];
  const asking = { ...spec, writePaused: true };
  const paused = seen({ generation: 2, spec: { ...asking, pausedByUser: true, pausedAt: 'r2/1/7' } });

  it('has the pause there before the status tells of it, and the rollout hears of no pause of the user', async () => {
    stage.activities.writePaused = () => ({ pausedAt: 'r2/1/7', written: { gamedeployments: '9' } });
    await play([seen({ spec: asking }), paused, paused], carried({ rollout }));
    expect(names().filter((name) => name !== 'wait')).toEqual(['writePaused', 'report']);
    expect(told('writePaused')).toMatchObject([{ generation: 1, write: { act: 'set', mark: 'r2/1/7' } }]);
    expect(told('report')).toMatchObject([{ fence: { written: { gamedeployments: '9' } } }]);
  });

  it('tells once that it was lifted', async () => {
    const lifted = seen({ generation: 3, spec: { ...asking, pausedAt: 'r2/1/7' } });
    await play([{ ...paused, lookAgainAtMs: 1 }, { ...lifted, lookAgainAtMs: 1 }, lifted], carried({ rollout }));
    expect(told('signal revise')).toMatchObject([{ pausedByUser: false, liftedPause: { step: 1, startedAtMs: 7 } }]);
  });

  it('pauses as always where it may not be written, says so, and tries again later', async () => {
    stage.activities.writePaused = () => ({ written: {}, refused: 'Forbidden.' });
    await play([seen({ spec: asking }), seen({ spec: asking })], carried({ rollout }));
    expect(told('writePaused')).toHaveLength(1);
    const [first] = told('report');
    expect(first).toMatchObject({ pauseTrouble: 'Forbidden.', events: [{ reason: 'PauseNotWritten' }] });
    expect(told('wait').some((ms) => Number(ms) <= 30_000)).toBe(true);
  });
});

describe('one look and the next', () => {
  it('no look is older than the one before', async () => {
    const requests: ObserveRequest[] = [];
    const take = (observation: Observation) => (request: ObserveRequest) => {
      requests.push(structuredClone(request));
      return observation;
    };
    const fence = { written: { pods: '70' }, gone: ['b'] };
    await play([take(seen({ fence, moves: [close] })), take(seen())], carried());
    expect(requests[1]?.fence).toEqual(fence);
  });

  describe('a status that was written after the pods had changed again', () => {
    const waits = seen({ inTransition: true, isQuiet: false });
    const written = (shown: string) => {
      stage.activities.report = () => ({ shown });
    };

    it('is not taken for what the look saw: the same sight is written again', async () => {
      written('pods as they were for a moment');
      const requests: ObserveRequest[] = [];
      const take = (request: ObserveRequest) => {
        requests.push(structuredClone(request));
        return waits;
      };
      await play([waits, take], carried());
      expect(requests[0]?.shown?.key).toBe('pods as they were for a moment');
      expect(told('report')).toHaveLength(2);
    });

    it('shows the same otherwise, and is not written again', async () => {
      written(shownKey(waits.generation, waits.counts, waits.blockers));
      await play([waits, waits], carried());
      expect(told('report')).toHaveLength(1);
    });
  });

  it('waves that bring nothing about are followed by rests', async () => {
    stage.activities.updatePodsInPlace = () => ({ ...done, done: 0, moved: 1 });
    await play(Array(4).fill(seen({ moves: [close] })), carried());
    expect(told('wait')).toEqual([500, 1_000, 2_000]);
  });

  it('a status that cannot be written stops no wave, and is tried again', async () => {
    stage.activities.report = () => Promise.reject(new ActivityFailure());
    await play([seen({ moves: [close] }), seen(), seen()], carried());
    expect(names().filter((name) => name === 'updatePodsInPlace')).toHaveLength(1);
    expect(told('wait')).toContain(30_000);
  });
});
