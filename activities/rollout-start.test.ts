import { describe, expect, it, vi } from 'vitest';
import { type RolloutMemo, type RolloutRun, type RolloutRuns, startRollout } from './rollout-start.ts';
import type { StartRolloutRequest, WorkloadKey } from './types.ts';

/** One workflow id: starts are refused while a run is running, a superseded run ends. Writes down what is asked of it. */
class FakeRuns implements RolloutRuns {
  readonly story: string[] = [];
  /** Starts that somebody else wins. */
  racers: RolloutRun[] = [];
  run: RolloutRun | null;

  constructor(run: RolloutRun | null) {
    this.run = run;
  }

  async newest() {
    return this.run;
  }

  async supersede(_key: WorkloadKey, runId: string, message: object) {
    this.story.push(`supersede ${runId} ${JSON.stringify(message)}`);
  }

  async waitForEnd(_key: WorkloadKey, runId: string, _signal?: AbortSignal) {
    this.story.push(`wait for ${runId}`);
    if (this.run?.runId === runId) this.run = { ...this.run, state: 'completed' };
  }

  async terminate(_key: WorkloadKey, runId: string) {
    this.story.push(`terminate ${runId}`);
    if (this.run?.runId === runId) this.run = { ...this.run, state: 'lost' };
  }

  async start({ uid, number, toRevision, resumeAt }: StartRolloutRequest) {
    const racer = this.racers.shift();
    if (racer !== undefined) this.run = racer;
    if (this.run?.state === 'running') return false;
    this.story.push(`start ${number}${resumeAt === undefined ? '' : ` at step ${resumeAt.stepIndex}`}`);
    this.run = { runId: `run-${number}`, state: 'running', memo: { number, uid, toRevision } };
    return true;
  }
}

const run = (state: RolloutRun['state'], number: number, memo: Partial<RolloutMemo> = {}): RolloutRun => ({
  runId: `run-${number}`,
  state,
  memo: { number, uid: 'u1', toRevision: 'new', ...memo },
});

const request = (number: number, changes: Partial<StartRolloutRequest> = {}): StartRolloutRequest => ({
  key: { kind: 'GameDeployment', namespace: 'games', name: 'lobby' },
  uid: 'u1',
  number,
  fromRevision: 'old',
  toRevision: 'new',
  rolledBack: false,
  spec: { steps: [], stepsHash: 'h', pausedByUser: false, retryGates: false },
  ...changes,
});

const supersede = (runId: string, number: number) =>
  `supersede ${runId} {"number":${number},"revision":"new","rolledBack":false}`;

const attempt = (signal = new AbortController().signal) => ({ number: 1, signal, heartbeat: () => undefined });

type Row = [string, RolloutRun | null, StartRolloutRequest, string[], number, boolean?];

const ROWS: Row[] = [
  ['no run: starts', null, request(1), ['start 1'], 1],
  ['an older run is completed: starts', run('completed', 1), request(2), ['start 2'], 2],
  [
    'an older run is running: ends it first',
    run('running', 1),
    request(2),
    [supersede('run-1', 2), 'wait for run-1', 'start 2'],
    2,
  ],
  ['my run is running: done', run('running', 2), request(2), [], 2],
  ['my run is completed: done', run('completed', 2), request(2), [], 2],
  ['a later run is running: done, with its number', run('running', 5), request(2), [], 5],
  [
    'my run was terminated: started again at its step',
    run('lost', 2),
    request(2, { resumeAt: { stepIndex: 3, paused: true, aborted: false } }),
    ['start 2 at step 3'],
    2,
    true,
  ],
  ['an older run was terminated: starts mine', run('lost', 1), request(2), ['start 2'], 2],
  ['a run of another object of the name has ended', run('completed', 7, { uid: 'u0' }), request(1), ['start 8'], 8],
  [
    'the workload was reset and counts from before: a later run to another revision is no answer',
    run('completed', 5, { toRevision: 'other' }),
    request(4),
    ['start 6'],
    6,
  ],
  ['the same, and the later run to this revision has ended', run('completed', 5), request(4), ['start 6'], 6],
  [
    'the same, and the later run to another revision is running',
    run('running', 5, { toRevision: 'other' }),
    request(4),
    [supersede('run-5', 6), 'wait for run-5', 'start 6'],
    6,
  ],
  [
    'a run of another object of the name is running',
    run('running', 7, { uid: 'u0' }),
    request(1),
    [supersede('run-7', 8), 'wait for run-7', 'start 8'],
    8,
  ],
  [
    "somebody else's run without a memo is running",
    { runId: 'x', state: 'running' },
    request(1),
    [supersede('x', 1), 'wait for x', 'start 1'],
    1,
  ],
  ['number 0, no run', null, request(0), ['start 1'], 1],
  ['number 0, a run to this revision is running: taken over', run('running', 4), request(0), [], 4],
  [
    'number 0, a run to another revision is running',
    run('running', 4, { toRevision: 'other' }),
    request(0),
    [supersede('run-4', 5), 'wait for run-4', 'start 5'],
    5,
  ],
  ['number 0, a run to this revision is completed', run('completed', 4), request(0), ['start 5'], 5],
];

describe('startRollout', () => {
  it.each(ROWS)('%s', async (_name, existing, asked, story, number, restarted = false) => {
    const runs = new FakeRuns(existing);
    expect(await startRollout(runs, asked, attempt())).toMatchObject({ number, restarted });
    expect(runs.story).toEqual(story);
  });

  it('who loses the race to start looks again', async () => {
    const runs = new FakeRuns(null);
    runs.racers = [run('running', 2)];
    expect(await startRollout(runs, request(2), attempt())).toMatchObject({ number: 2, restarted: false });
    expect(runs.story).toEqual([]);
  });

  it.each<[RolloutRun['state'], boolean]>([
    ['running', false],
    ['completed', true],
  ])('says of a run that is %s whether its result is there', async (state, isOver) => {
    expect(await startRollout(new FakeRuns(run(state, 2)), request(2), attempt())).toMatchObject({ number: 2, isOver });
  });

  it('does not say beside the workflow that a run is over: the last word of that run has not been heard then', async () => {
    const beside = { ...attempt(), isBeside: true };
    await expect(startRollout(new FakeRuns(run('completed', 2)), request(2), beside)).rejects.toThrow('is over');
    expect(await startRollout(new FakeRuns(run('running', 2)), request(2), beside)).toMatchObject({ isOver: false });
    expect(await startRollout(new FakeRuns(run('completed', 1)), request(2), beside)).toMatchObject({ isNew: true });
    await expect(startRollout(new FakeRuns(run('lost', 2)), request(2), beside)).rejects.toThrow('is over');
  });

  it('a superseded run that does not end is terminated: it must not keep the workload waiting', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('too long')));
    const runs = new FakeRuns(run('running', 1));
    runs.waitForEnd = async (_key, _runId, signal) => signal?.throwIfAborted();
    await startRollout(runs, request(2), attempt());
    expect(runs.story).toEqual([supersede('run-1', 2), 'terminate run-1', 'start 2']);
    expect(timeout).toHaveBeenCalledWith(30_000);
    vi.restoreAllMocks();
  });

  it('a second call changes nothing', async () => {
    const runs = new FakeRuns(run('running', 1));
    await startRollout(runs, request(2), attempt());
    const before = [...runs.story];
    await startRollout(runs, request(2), attempt());
    expect(runs.story).toEqual(before);
  });

  it('stops when it is cancelled', async () => {
    const reason = new Error('cancelled');
    const started = startRollout(new FakeRuns(null), request(1), attempt(AbortSignal.abort(reason)));
    await expect(started).rejects.toBe(reason);
  });
});
