/** The rollout workflow against a real Temporal server: people with the stock CLI, restarts, and what the UI shows. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../core/rollout/types.ts';
import { blocked, finished, humanSignal, revise, supersede } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { acceptedUpdates, eventsOf, timersOf } from './rollout-history.ts';
import { type RolloutPlay, RolloutScene } from './rollout-scene.ts';
import { editSignal } from './workload-double.ts';

const hook = { templateName: 'check' };
const CANARY: Step[] = [{ partition: 3 }, { pause: {} }, { partition: 1 }, { pause: { durationSeconds: 1 } }, { hook }];

let scene: RolloutScene;
let plays: RolloutPlay[] = [];

beforeAll(async () => {
  scene = await RolloutScene.open();
});

afterEach(async () => {
  for (const play of plays) await scene.replay(play);
  plays = [];
});

afterAll(() => scene.close());

const start = async (...args: Parameters<RolloutScene['start']>): Promise<RolloutPlay> => {
  const play = await scene.start(...args);
  plays.push(play);
  return play;
};

describe('a canary', () => {
  test('is resumed from the stock CLI, retries its hook and completes', async () => {
    const play = await start('story', CANARY);
    const { view } = await play.isAt(1);
    expect(view.message).toContain(`temporal workflow signal -w ${play.id} --name resume --input '{"step":1}'`);
    const signal = ['workflow', 'signal', '-w', play.id, '--name', 'resume'];
    await scene.cli(...signal, '--input', '{"step":1}', '--identity', 'ana');
    const running = await eventually('the hook runs', async () => (await play.isAt(4, 'Progressing')).view.hookRun);
    await play.handle.signal(finished, { hookRun: running, phase: 'Failed', message: 'error rate 7 %' });
    expect((await play.isAt(4)).view.message).toContain('run-4-1 is Failed: error rate 7 %');
    const answer = await play.ask('retry', { by: 'ana', step: 4 });
    expect(answer).toContain('The hook check of step 4 runs again, attempt 2');
    await eventually('the second run is known', async () => (await play.report()).view.hookRun === 'run-4-2');
    await play.handle.signal(finished, { hookRun: 'run-4-2', phase: 'Successful' });
    const result = await play.handle.result();
    expect(result.outcome).toBe('Completed');
    expect(result.steps.map(({ step, what, outcome }) => `${step} ${what}: ${outcome}`)).toEqual([
      '0 partition 3: done',
      '1 pause until resumed: resumed',
      '2 partition 1: done',
      '3 pause 1 s: elapsed',
      '4 hook check: failed',
      '4 pause after the failed hook: retried',
      '4 hook check, attempt 2: done',
      '5 all pods: done',
    ]);
    // A last workflow task that a late answer comes upon is done again.
    expect(scene.closed.findLast(({ uid }) => uid === 'uid-story')?.result).toEqual(result);
    expect((await play.heard()).allows.at(-1)?.view.phase).toBe('Completed');
  });
});

describe('the Temporal UI', () => {
  test('shows a history that reads as a story and stays small', async () => {
    const play = await start('timeline', CANARY.slice(0, 4));
    await play.isAt(1);
    await play.handle.signal(humanSignal('resume'));
    await play.handle.result();
    const history = await play.handle.fetchHistory();
    // Each step is one bar, however the messages fall.
    expect(timersOf(history)).toEqual([
      'step 0: partition 3',
      'step 1: paused until resumed',
      'step 2: partition 1',
      'step 3: pause 1 s',
      'all pods',
    ]);
    expect(eventsOf(history)).toBeLessThan(110);
  });

  test('finds it by its search attributes', async () => {
    const play = await start('search', [{ partition: 3 }, { pause: {} }]);
    await play.isAt(1);
    const phase = "HoldfastPhase='Paused' and HoldfastPaused=true and HoldfastStep=1";
    const query = `${phase} and HoldfastWorkload='gamedeployment/default/search'`;
    await eventually('the list has it', async () => {
      const listed = await scene.cli('workflow', 'list', '-q', query);
      return listed.includes(play.id);
    });
    await play.handle.signal(humanSignal('promote'));
    await play.handle.result();
  });
});

describe('people', () => {
  test('are told why an update is refused, and it leaves no trace', async () => {
    const play = await start('refusal', [{ partition: 3 }, { pause: {} }]);
    await play.isAt(1);
    const update = ['workflow', 'update', 'execute', '-w', play.id, '--name', 'resume'];
    expect(await scene.cli(...update, '--input', '{"step":0}')).toContain('The rollout is at step 1, not at step 0');
    expect(await scene.cli(...update, '--input', '"now"')).toContain('The message must be an object');
    expect(await scene.cli('workflow', 'update', 'execute', '-w', play.id, '--name', 'go')).toContain(
      'unknown update go',
    );
    expect(acceptedUpdates(await play.handle.fetchHistory())).toEqual(['go']);
    expect(await scene.cli(...update, '--input', '{"step":1,"by":"ana"}')).toContain('Resumed step 1');
    await play.handle.result();
  });

  test('see ignored signals, the steps and the exact command in the current details', async () => {
    const play = await start('details', [{ partition: 3 }, { pause: {} }]);
    await play.isAt(1);
    await scene.cli('workflow', 'signal', '-w', play.id, '--name', 'rezume');
    await play.handle.signal(humanSignal('retry'));
    await play.handle.signal('reached', 'nonsense');
    await play.handle.signal('revise', { pausedByUser: false, steps: [null], stepsHash: 'x' });
    const page = await eventually('the details tell of all', () => scene.cli('workflow', 'metadata', '-w', play.id), {
      until: (text) => text.includes('malformed message revise'),
    });
    for (const part of [
      'unknown signal rezume: this workflow takes pause, resume, skip',
      'signal retry was refused: Nothing to retry',
      'a malformed message reached was ignored',
      `temporal workflow signal -w ${play.id} --name resume`,
    ]) {
      expect(page).toContain(part);
    }
    await play.handle.signal(humanSignal('promote'));
    await play.handle.result();
  });
});

describe('at the same moment', () => {
  test('two resumes open one pause', async () => {
    const play = await start('twice', [{ pause: {} }, { pause: {} }]);
    await play.isAt(0);
    await scene.stopWorkers();
    await play.handle.signal(humanSignal('resume'), { by: 'ana' });
    await play.handle.signal(humanSignal('resume'), { by: 'bob' });
    await scene.startWorkers();
    const { log, notices } = await play.isAt(1);
    expect(log.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['ana', 'resumed'],
      [undefined, undefined],
    ]);
    expect(notices.at(-1)?.text).toContain('signal resume was refused');
    await play.ask('resume', { step: 1 });
    await play.handle.result();
  });
});

describe('temporal workflow cancel', () => {
  test('aborts the rollout; retry starts it again', async () => {
    const play = await start('cancel', [{ partition: 3 }, { pause: {} }]);
    await play.isAt(1);
    await scene.cli('workflow', 'cancel', '-w', play.id);
    await play.isAt(1, 'Aborted');
    const { allows } = await eventually('the workload takes its pods back', () => play.heard(), {
      until: (heard) => heard.allows.at(-1)?.allowance.revision === 'cancel-old',
    });
    expect(allows.at(-1)?.allowance).toEqual({ revision: 'cancel-old', partition: 0, paused: false });
    await expect(play.ask('resume')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('send retry to start it again') },
    });
    await play.ask('retry');
    await play.isAt(1);
    await play.ask('promote');
    expect((await play.handle.result()).outcome).toBe('Completed');
  });
});

describe('other workflows', () => {
  test('a new template ends the rollout and terminates its hook', async () => {
    const play = await start('supersede', [{ hook }]);
    await eventually('the hook runs', async () => (await play.report()).view.hookRun);
    await play.handle.signal(supersede, { number: 2, revision: 'supersede-old', rolledBack: true });
    expect((await play.handle.result()).outcome).toBe('RolledBack');
    expect(scene.terminated).toContain('run-0-1');
  });

  test('without steps the partition of the spec holds it until that is 0', async () => {
    const play = await start('held', [], { alone: true });
    await play.startWorkload(3);
    await eventually('it is held', () => play.report(), {
      until: ({ view }) => view.message === 'Held by spec partition 3',
    });
    await play.workload.signal(editSignal, 0);
    expect((await play.handle.result()).outcome).toBe('Completed');
  });

  test('edited steps and a resume annotation reach it', async () => {
    const play = await start('revise', CANARY);
    await play.isAt(1);
    const steps: Step[] = [...CANARY.slice(0, 2), { pause: {} }];
    await play.handle.signal(revise, { steps, stepsHash: 'edited', pausedByUser: false, resumeToken: 'revise-new/1' });
    const { view } = await play.isAt(2);
    expect(view).toMatchObject({ stepCount: 3, stepsHash: 'edited', consumedResume: ['revise-new/1'] });
    await play.handle.signal(revise, { pausedByUser: false, pauseLifted: true });
    await play.handle.result();
  });

  test('a deadline that is given later reaches it, and its timer rings', async () => {
    const play = await start('deadline', [{ partition: 3 }, { pause: {} }], { alone: true });
    await play.handle.signal(revise, { pausedByUser: false, progressDeadlineSeconds: 1 });
    await eventually('it is exceeded', () => play.report(), {
      until: ({ view }) => view.blocked?.reason === 'ProgressDeadlineExceeded',
    });
    await play.handle.signal(revise, { pausedByUser: false, progressDeadlineSeconds: null });
    await eventually('nothing blocks it', () => play.report(), { until: ({ view }) => view.blocked === undefined });
    await play.startWorkload();
    await play.ask('promote');
    await play.handle.result();
  });

  test('a workload that is not there yet is told as soon as it is', async () => {
    const play = await start('alone', [{ partition: 3 }, { pause: {} }], { alone: true });
    await eventually('it was told in vain', async () =>
      (await timersOfOpen(play)).some((summary) => summary.includes('tells it again')),
    );
    await play.startWorkload();
    await play.isAt(1);
    await play.handle.signal(humanSignal('promote'));
    await play.handle.result();
  });

  test('a HookRun that cannot be created pauses with the reason; skip passes it', async () => {
    scene.hookAnswer = async () => ({ blocked: 'HookTemplateMissing', message: 'HookTemplate check does not exist' });
    const play = await start('missing', [{ hook }]);
    expect((await play.isAt(0)).view.message).toContain('HookTemplate check does not exist');
    await play.ask('skip', { by: 'ana' });
    await play.handle.result();
  });
});

describe('breaks', () => {
  test('people are heard while a HookRun cannot be created; it is terminated when it appears after all', async () => {
    let appear = (_: { hookRun: string }) => {};
    scene.hookAnswer = () =>
      new Promise((resolve) => {
        appear = resolve;
      });
    const play = await start('api-down', [{ hook }]);
    await eventually('the creation is on its way', () => scene.created.some(({ uid }) => uid === 'uid-api-down'));
    await play.ask('abort', { by: 'ana' });
    await eventually('the workload takes its pods back', () => play.heard(), {
      until: ({ allows }) => allows.at(-1)?.allowance.revision === 'api-down-old',
    });
    appear({ hookRun: 'run-late' });
    await eventually('the late run is terminated', () => scene.terminated.includes('run-late'));
    await play.handle.signal(supersede, { number: 2, revision: 'other', rolledBack: false });
    expect((await play.handle.result()).outcome).toBe('Aborted');
  });

  test('a pause outlives the worker and the server', async () => {
    const play = await start('outage', [{ partition: 3 }, { pause: {} }, { partition: 1 }]);
    await play.isAt(1);
    await scene.replay(play, 'paused');
    await scene.stopWorkers();
    await scene.restartServer();
    await scene.startWorkers();
    await play.isAt(1);
    await play.ask('resume', { step: 1 });
    expect((await play.handle.result()).outcome).toBe('Completed');
  });

  test('a run full of messages continues as new with all it knew', async () => {
    const play = await start('full', [{ partition: 3 }, { pause: {} }]);
    const before = await play.isAt(1);
    const first = (await play.handle.describe()).runId;
    const message = { number: 1, sequence: 1, observedGeneration: 1, reason: 'PodsNotReady', message: 'lobby-1' };
    for (let sent = 0; sent < 1_010; sent += 101) {
      await Promise.all(Array.from({ length: 101 }, () => play.handle.signal(blocked, message)));
    }
    const described = await eventually('another run', () => play.handle.describe(), {
      until: ({ runId }) => runId !== first,
    });
    expect(described.memo).toEqual({ number: 1 });
    const after = await play.isAt(1);
    expect(after.view.pause).toEqual(before.view.pause);
    await play.ask('resume', { step: 1 });
    expect((await play.handle.result()).steps).toHaveLength(3);
  });
});

/** Summaries of the timers so far. */
const timersOfOpen = async (play: RolloutPlay) => timersOf(await play.handle.fetchHistory());
