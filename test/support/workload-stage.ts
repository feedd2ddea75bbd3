/** A workload's loop with its surroundings played: activities are scripted, time does not pass. For tests only. */
import { beforeEach, vi } from 'vitest';
import type { TellRequest } from '../../activities/tell.ts';
import type { Observation, ObserveRequest } from '../../activities/types.ts';
import type { Allowance, Counts, Move } from '../../core/plan/types.ts';
import { newWorkloadState, type WorkloadState } from '../../core/workload/state.ts';
import { rulesMemo } from '../../workflows/rules.ts';

/** What the workflow did, in order; what is asked of it, by name. */
const stage = vi.hoisted(() => ({
  story: [] as [name: string, detail: unknown][],
  handlers: new Map<string, (message: unknown) => unknown>(),
  activities: {} as Record<string, (request: never) => unknown>,
  /** Of the run: by which rules it goes. */
  memo: {} as Record<string, unknown>,
}));

vi.mock('@temporalio/workflow', () => {
  class TemporalFailure extends Error {}
  class ActivityFailure extends TemporalFailure {}
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
  const signal = async (name: string, message: unknown) => {
    stage.story.push([`signal ${name}`, message]);
    await stage.activities[`signal ${name}`]?.(message as never);
  };
  /** Told beside the workflow it is a signal like any other, unless the test has its own way of telling. */
  const tell = async (request: unknown) => {
    const { signal: name, message } = request as TellRequest;
    if (stage.activities.tell === undefined) return await signal(name, message);
    stage.story.push([`signal ${name}`, message]);
    await stage.activities.tell(request as never);
  };
  const act = async (name: string, request: unknown, where: string) => {
    if (name === 'tell') return await tell(request);
    if (name !== 'observe' && name !== 'lookNow') stage.story.push([name, request]);
    return await (stage.activities[`${where}${name}`] ?? stage.activities[name])?.(request as never);
  };
  const proxy = (name: string, where = '') => {
    const call = (request: unknown) => act(name, request, where);
    return Object.assign(call, { executeWithOptions: (_: unknown, [request]: unknown[]) => act(name, request, where) });
  };
  return {
    ActivityCancellationType: {},
    ActivityFailure,
    ApplicationFailure: { create: (fields: object) => Object.assign(new Error(), fields) },
    CancellationScope,
    TemporalFailure,
    isCancellation: () => false,
    proxyActivities: () => new Proxy({}, { get: (_, name) => proxy(String(name)) }),
    proxyLocalActivities: () => new Proxy({}, { get: (_, name) => proxy(String(name), 'beside ') }),
    makeContinueAsNewFunc: () => async (args: object) => {
      stage.story.push(['continue as new', args]);
      throw new Error('over');
    },
    // Nobody rings in these stories: who would wait for a bell has reached the end.
    condition: async (isMet: () => boolean, ms?: number) => {
      stage.story.push(['wait', ms ?? 'for a bell']);
      if (ms !== undefined) await stage.activities.wait?.(undefined as never);
      else if (!isMet()) throw new Error('over');
      return isMet();
    },
    sleep: async (ms: number) => stage.story.push(['sleep', ms]),
    workflowInfo: () => ({ continueAsNewSuggested: false, historyLength: 1, memo: stage.memo }),
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
      signal: async ({ name }: { name: string }, message: unknown) => await signal(name, message),
    }),
  };
});

export const { workload } = await import('../../workflows/workload/workload.ts');
export const { ActivityFailure, TemporalFailure } = (await import('@temporalio/workflow')) as unknown as {
  ActivityFailure: new () => Error;
  /** What the failure of a local activity is when it is replayed. */
  TemporalFailure: new () => Error;
};

export const KEY = { kind: 'GameDeployment', namespace: 'default', name: 'lobby' } as const;
export const spec = { steps: [], stepsHash: 'h', pausedByUser: false, retryGates: false };
export const counts = { perRevision: { r1: 2 }, unavailable: 0 } as unknown as Counts;
export const close = {
  act: 'close-gate',
  pod: 'lobby-a',
  uid: 'a',
  resourceVersion: '1',
  reason: '',
  revision: 'r2',
} as Move;

export const allowance = (changes: Partial<Allowance> = {}): Allowance => {
  return { revision: 'r2', partition: 1, paused: false, ...changes };
};

export const allow = (sequence: number, changes: Partial<Allowance> = {}) => {
  const view = { phase: 'Progressing', message: '' };
  return () => stage.handlers.get('allow')?.({ uid: 'u', number: 1, sequence, allowance: allowance(changes), view });
};
export const ring = (reason: string) => () => stage.handlers.get('wake')?.({ uid: 'u', reason });

export const seen = (changes: Partial<Observation> = {}): Observation => ({
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
export const carried = (changes: Partial<WorkloadState> = {}): WorkloadState => ({
  ...newWorkloadState(),
  ...{ uid: 'u', stableRevision: 'r1', updateRevision: 'r2', proof: { revision: 'r2', generation: 1 } },
  rollout: {
    ...{ number: 1, fromRevision: 'r1', toRevision: 'r2', rolledBack: false, isOpen: true, sequence: 5, view: null },
    allowance: allowance(),
  },
  told: { ...newWorkloadState().told, spec: JSON.stringify(['h', false, '']) },
  ...changes,
});

export const done = { done: 1, moved: 0, unresolved: [], written: {}, gone: [], quorum: false };

/** Runs until the looks are over; each is an observation, or a function that makes one. */
export async function play(looks: (Observation | ((request: ObserveRequest) => Observation))[], state?: WorkloadState) {
  stage.activities.observe = async (request: ObserveRequest) => {
    const look = looks.shift();
    if (look === undefined) throw new Error('over');
    return typeof look === 'function' ? look(request) : look;
  };
  await workload({ key: KEY, ...(state === undefined ? {} : { carried: state }) }).catch((error: Error) => {
    if (error.message !== 'over') throw error;
  });
}

export const told = (name: string) => stage.story.filter(([what]) => what === name).map(([, detail]) => detail);
export const names = () => stage.story.map(([name]) => name);

beforeEach(() => {
  stage.story.length = 0;
  stage.handlers.clear();
  stage.memo = rulesMemo();
  stage.activities = {
    updatePodsInPlace: () => done,
    startRollout: () => ({ number: 2, restarted: false, isOver: false }),
    recordRevision: () => ({ updateRevision: 'r2', written: {} }),
    report: () => ({}),
  };
});

export { stage };
