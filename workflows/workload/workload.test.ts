/** The loop of a workload with its surroundings played: activities are scripted, time does not pass. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Observation, ObserveRequest } from '../../activities/types.ts';
import type { Allowance, Counts, Move } from '../../core/plan/types.ts';
import { shownKey } from '../../core/plan/wave.ts';
import { newWorkloadState, type WorkloadState } from '../../core/workload/state.ts';

/** What the workflow did, in order; what is asked of it, by name. */
const stage = vi.hoisted(() => ({
  story: [] as [name: string, detail: unknown][],
  handlers: new Map<string, (message: unknown) => unknown>(),
  activities: {} as Record<string, (request: never) => unknown>,
}));

vi.mock('@temporalio/workflow', () => {
  class ActivityFailure extends Error {}
  /** What runs in it goes on to its end, as activities do that are waited for when they are cancelled. */
  class CancellationScope {
    consideredCancelled = false;
    static current = () => ({ consideredCancelled: false });
    async run<T>(work: () => Promise<T>): Promise<T> {
      return await work();
    }
    cancel(): void {
      this.consideredCancelled = true;
    }
  }
  const act = async (name: string, request: unknown) => {
    if (name !== 'observe') stage.story.push([name, request]);
    return await stage.activities[name]?.(request as never);
  };
  const proxy = (name: string) => {
    const call = (request: unknown) => act(name, request);
    return Object.assign(call, { executeWithOptions: (_: unknown, [request]: unknown[]) => act(name, request) });
  };
  return {
    ActivityCancellationType: {},
    ActivityFailure,
    ApplicationFailure: { create: (fields: object) => Object.assign(new Error(), fields) },
    CancellationScope,
    isCancellation: () => false,
    proxyActivities: () => new Proxy({}, { get: (_, name) => proxy(String(name)) }),
    // Nobody rings in these stories: who would wait for a bell has reached the end.
    condition: async (isMet: () => boolean, ms?: number) => {
      stage.story.push(['wait', ms ?? 'for a bell']);
      if (ms === undefined && !isMet()) throw new Error('over');
    },
    sleep: async (ms: number) => stage.story.push(['sleep', ms]),
    continueAsNew: async (args: object) => {
      stage.story.push(['continue as new', args]);
      throw new Error('over');
    },
    workflowInfo: () => ({ continueAsNewSuggested: false, historyLength: 1 }),
    setCurrentDetails: () => undefined,
    patched: () => true,
    log: { warn: () => undefined },
    defineSignal: (name: string) => ({ name }),
    defineUpdate: (name: string) => ({ name, isUpdate: true }),
    setHandler: ({ name, isUpdate }: { name: string; isUpdate?: boolean }, handler: (message: unknown) => unknown) => {
      if (!isUpdate) stage.handlers.set(name, handler);
    },
    setDefaultSignalHandler: () => undefined,
    setDefaultUpdateHandler: () => undefined,
    getExternalWorkflowHandle: () => ({
      signal: async ({ name }: { name: string }, message: unknown) => {
        stage.story.push([`signal ${name}`, message]);
        await stage.activities[`signal ${name}`]?.(message as never);
      },
    }),
  };
});

const { workload } = await import('./workload.ts');
const { ActivityFailure } = (await import('@temporalio/workflow')) as unknown as { ActivityFailure: new () => Error };

const KEY = { kind: 'GameDeployment', namespace: 'default', name: 'lobby' } as const;
const spec = { steps: [], stepsHash: 'h', pausedByUser: false, retryGates: false };
const counts = { perRevision: { r1: 2 }, unavailable: 0 } as unknown as Counts;
const close = { act: 'close-gate', pod: 'lobby-a', uid: 'a', resourceVersion: '1', reason: '', revision: 'r2' } as Move;

const allowance = (changes: Partial<Allowance> = {}): Allowance => {
  return { revision: 'r2', partition: 1, paused: false, ...changes };
};

const allow = (sequence: number, changes: Partial<Allowance> = {}) => {
  const view = { phase: 'Progressing', message: '' };
  return () => stage.handlers.get('allow')?.({ uid: 'u', number: 1, sequence, allowance: allowance(changes), view });
};
const ring = (reason: string) => () => stage.handlers.get('wake')?.({ uid: 'u', reason });

const seen = (changes: Partial<Observation> = {}): Observation => ({
  ...{
    gone: false,
    deleting: false,
    uid: 'u',
    generation: 1,
    triggers: '',
    updateRevision: 'r2',
    stableRevision: 'r1',
  },
  ...{ firstCreation: false, spec, moves: [], counts, partition: 1, reached: false, blockers: [], inTransition: false },
  ...{ isQuiet: true, replacesFailed: 0, unresolved: [], issued: [], fence: { written: {}, gone: [] }, asOfMs: 0 },
  ...changes,
});

/** In the middle of the rollout from r1 to r2. */
const carried = (changes: Partial<WorkloadState> = {}): WorkloadState => ({
  ...newWorkloadState(),
  ...{ uid: 'u', stableRevision: 'r1', updateRevision: 'r2', proof: { revision: 'r2', generation: 1 } },
  rollout: {
    ...{ number: 1, fromRevision: 'r1', toRevision: 'r2', rolledBack: false, isOpen: true, sequence: 5, view: null },
    allowance: allowance(),
  },
  told: { ...newWorkloadState().told, spec: JSON.stringify(['h', false, '']) },
  ...changes,
});

const done = { done: 1, moved: 0, unresolved: [], written: {}, gone: [], quorum: false };

/** Runs until the looks are over; each is an observation, or a function that makes one. */
async function play(looks: (Observation | ((request: ObserveRequest) => Observation))[], state?: WorkloadState) {
  stage.activities.observe = async (request: ObserveRequest) => {
    const look = looks.shift();
    if (look === undefined) throw new Error('over');
    return typeof look === 'function' ? look(request) : look;
  };
  await workload({ key: KEY, ...(state === undefined ? {} : { carried: state }) }).catch((error: Error) => {
    if (error.message !== 'over') throw error;
  });
}

const told = (name: string) => stage.story.filter(([what]) => what === name).map(([, detail]) => detail);
const names = () => stage.story.map(([name]) => name);

beforeEach(() => {
  stage.story.length = 0;
  stage.handlers.clear();
  stage.activities = {
    updatePodsInPlace: () => done,
    startRollout: () => ({ number: 2, restarted: false, isOver: false }),
    recordRevision: () => ({ updateRevision: 'r2', written: {} }),
  };
});

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

describe('a workload that lost its state', () => {
  const recovered = { stepIndex: 2, paused: true, aborted: false, partial: true };

  it('lets the moves of the run before end, asks about the template, and only then moves pods', async () => {
    const lost = seen({ recovered, moves: [close] });
    await play([lost, (request) => ({ ...lost, isQuiet: request.quorum }), lost]);
    const story = names().filter((name) => ['sleep', 'recordRevision', 'startRollout'].includes(name));
    expect(story).toEqual(['sleep', 'recordRevision', 'startRollout']);
    expect(told('startRollout')).toMatchObject([{ number: 0, resumeAt: recovered }]);
  });

  it('a rollout that was never heard to its end is followed by the next number', async () => {
    stage.activities.startRollout = ({ number }: { number: number }) => {
      return number === 0 ? { number: 4, restarted: false, isOver: true } : { number, restarted: false, isOver: false };
    };
    await play([seen()], carried({ rollout: null }));
    expect(told('startRollout')).toMatchObject([{ number: 0 }, { number: 5 }]);
  });
});

describe('the end', () => {
  it('pods are let go of', async () => {
    await play([seen({ gone: true })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods']);
  });

  it.each([
    [true, ['releasePods']],
    [false, []],
  ])(
    'a run that never knew the object lets go of pods where it was started for them: %s',
    async (isLeftBehind, want) => {
      stage.activities.observe = async () => seen({ gone: true, uid: '' });
      await workload({ key: KEY, ...(isLeftBehind ? { isLeftBehind } : {}) });
      expect(names()).toEqual(want);
    },
  );

  it('a bell that rings meanwhile is that of the next object: it is not lost', async () => {
    stage.activities.releasePods = ring('added');
    await play([seen({ gone: true })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods', 'continue as new']);
  });

  it('another object under the name is served after the pods of the one before were let go of', async () => {
    stage.activities.releasePods = () => Promise.reject(new ActivityFailure());
    await play([seen({ uid: 'another' })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods', 'continue as new']);
    expect(told('continue as new')).toEqual([{ key: KEY }]);
  });
});
