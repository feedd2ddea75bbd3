/** Whose `paused: true` it is, and what is written, as a story: what the object shows, what the rollout says. */
import { describe, expect, it } from 'vitest';
import type { RolloutView } from '../rollout/types.ts';
import {
  isPauseWriteDue,
  liftedPause,
  pauseWriteOf,
  type SpecPause,
  sendPauseWrite,
  takePauseTrouble,
  takePauseWritten,
  takeSpecPause,
} from './spec-pause.ts';
import { newWorkloadState, type RolloutLink, type WorkloadState } from './state.ts';

const FIRST = 'r2/1/1000';
const SECOND = 'r2/3/9000';

type Pause = RolloutView['pause'];

/** Paused at step 1 since 1000, at step 3 since 9000. */
const atFirst: Pause = { reason: 'PausedByCanaryPauseStep', startedAtMs: 1_000 };
const atSecond: Pause = { reason: 'PausedByCanaryPauseStep', startedAtMs: 9_000 };

class Scene {
  readonly state: WorkloadState = newWorkloadState();
  object: SpecPause = { pausedByUser: false, writePaused: true };
  /** False: a history of before is replayed. */
  remembers = true;

  constructor(pause: Pause | 'unspoken' = atFirst) {
    this.rolloutSays(pause);
  }

  rolloutSays(pause: Pause | 'unspoken'): this {
    const stepIndex = pause === atSecond ? 3 : 1;
    const view = { phase: 'Paused', stepIndex, ...(pause === undefined ? {} : { pause }) } as RolloutView;
    const link = { number: 1, fromRevision: 'r1', toRevision: 'r2', isOpen: true };
    this.state.rollout = { ...link, view: pause === 'unspoken' ? null : view } as RolloutLink;
    return this;
  }

  /** Somebody else changes the object. */
  edit(change: Partial<SpecPause>): this {
    Object.assign(this.object, change);
    return this;
  }

  /** What a look says: does the user pause, and which pause was lifted. */
  look(): { byUser: boolean; lifted: string | undefined } {
    const { pausedByUser } = takeSpecPause(this.state, this.object, () => this.remembers);
    const lifted = liftedPause(this.state)?.mark;
    this.state.pausedByUser = pausedByUser;
    return { byUser: pausedByUser, lifted };
  }

  /** Looks, and sends what is due, which does not come through. */
  send(): void {
    this.look();
    const write = pauseWriteOf(this.state, this.object);
    if (write !== null) sendPauseWrite(this.state, write);
  }

  /** Looks, and writes what is due; the object is then as the API would have it. */
  keep(isAnswered = true): string {
    this.look();
    const write = pauseWriteOf(this.state, this.object);
    if (write === null) return 'nothing';
    sendPauseWrite(this.state, write);
    if (write.act === 'set') this.object = { ...this.object, pausedByUser: true, pausedAt: write.mark };
    if (write.act === 'take-back') this.object.pausedByUser = false;
    if (write.act !== 'set') delete this.object.pausedAt;
    if (isAnswered) takePauseWritten(this.state, write);
    return `${write.act} ${write.mark}`;
  }
}

const paused = () => {
  const scene = new Scene();
  scene.keep();
  return scene;
};

describe('a pause of the rollout', () => {
  it('is written once, and is no pause of the user', () => {
    const scene = new Scene();
    expect(scene.keep()).toBe(`set ${FIRST}`);
    expect([scene.look(), scene.keep()]).toEqual([{ byUser: false, lifted: undefined }, 'nothing']);
  });

  it.each<[string, (scene: Scene) => Scene]>([
    ['where nobody asked for it', (scene) => scene.edit({ writePaused: false })],
    ['where the rollout has not spoken yet', (scene) => scene.rolloutSays('unspoken')],
    ['where nothing is paused', (scene) => scene.rolloutSays(undefined)],
    ['where a person paused by message', (scene) => scene.rolloutSays({ reason: 'PausedByUser', startedAtMs: 1 })],
    ['where a run was lost', (scene) => scene.rolloutSays({ reason: 'PausedByLostRun', startedAtMs: 1 })],
    ['where the user has paused himself', (scene) => scene.edit({ pausedByUser: true })],
  ])('is not written %s', (_sentence, change) => {
    expect(change(new Scene()).keep()).toBe('nothing');
  });

  it('is written for a failed hook as for a step', () => {
    const scene = new Scene({ reason: 'PausedByStepBasedHook', startedAtMs: 1_000 });
    expect(scene.keep()).toBe(`set ${FIRST}`);
  });

  it('is not written again where the answer to the write was lost: the mark says that it came through', () => {
    expect(new Scene().edit({ pausedByUser: true, pausedAt: FIRST }).keep()).toBe('nothing');
  });
});

describe('paused: false by a script', () => {
  it('ends the pause that it was written for, however often it is read', () => {
    const scene = paused().edit({ pausedByUser: false });
    expect([scene.look(), scene.keep(), scene.look()]).toEqual([
      { byUser: false, lifted: FIRST },
      'nothing',
      { byUser: false, lifted: FIRST },
    ]);
  });

  it('is heard where nobody saw the true before: it came and went between two looks', () => {
    const scene = new Scene().edit({ pausedAt: FIRST });
    expect(scene.look().lifted).toBe(FIRST);
  });

  it('is heard where the tool took the mark away as well', () => {
    const scene = paused().edit({ pausedByUser: false, pausedAt: undefined });
    expect([scene.look().lifted, scene.keep()]).toEqual([FIRST, 'nothing']);
  });

  it('is forgotten when the rollout goes on, so that a later true is the user’s', () => {
    const scene = paused().edit({ pausedByUser: false });
    scene.look();
    expect(scene.rolloutSays(undefined).keep()).toBe(`forget ${FIRST}`);
    scene.edit({ pausedByUser: true });
    expect([scene.look().byUser, scene.keep()]).toEqual([true, 'nothing']);
  });

  it('is remembered as lifted before it is forgotten: a true of that moment is the user’s', () => {
    const scene = paused().edit({ pausedByUser: false });
    scene.look();
    scene.rolloutSays(undefined).edit({ pausedByUser: true });
    expect([scene.look().byUser, scene.keep()]).toEqual([true, `forget ${FIRST}`]);
    expect(scene.object.pausedByUser).toBe(true);
  });

  it('ends no later pause: the next one is written, and waits for its own', () => {
    const scene = paused().edit({ pausedByUser: false }).rolloutSays(atSecond);
    expect(scene.look().lifted).toBeUndefined();
    expect(scene.keep()).toBe(`set ${SECOND}`);
    expect(scene.edit({ pausedByUser: false }).look().lifted).toBe(SECOND);
  });
});

describe('paused: false beside the mark of a pause that is over', () => {
  it.each<[string, () => Scene]>([
    ['that was written', () => paused().rolloutSays(undefined)],
    ['that nobody remembers', () => new Scene().rolloutSays(undefined).edit({ pausedAt: FIRST })],
    [
      'that was written after another one, unanswered',
      () => paused().rolloutSays(undefined).edit({ pausedAt: SECOND }),
    ],
  ])('%s: the next true is the user’s, also where the mark could not be removed', (_sentence, scene) => {
    const lifted = scene().edit({ pausedByUser: false });
    expect(lifted.look()).toEqual({ byUser: false, lifted: undefined });
    lifted.edit({ pausedByUser: true });
    const { pausedAt } = lifted.object;
    expect([lifted.look().byUser, lifted.keep()]).toEqual([true, `forget ${pausedAt}`]);
    expect([lifted.look().byUser, lifted.object.pausedByUser]).toEqual([true, true]);
  });

  it('is heard although it was about to be taken back', () => {
    const scene = paused().rolloutSays(undefined);
    scene.send();
    expect(scene.edit({ pausedByUser: false }).look().byUser).toBe(false);
    expect(scene.edit({ pausedByUser: true }).look().byUser).toBe(true);
  });

  it('puts no present pause out of mind that the user decides about', () => {
    const scene = paused().edit({ pausedByUser: false });
    scene.look();
    scene.edit({ pausedByUser: true }).look();
    scene.edit({ pausedByUser: false, pausedAt: SECOND });
    expect([scene.look().lifted, scene.keep()]).toEqual([undefined, `forget ${SECOND}`]);
  });

  it('is not remembered where a history of before is replayed', () => {
    const scene = paused().rolloutSays(undefined).edit({ pausedByUser: false });
    scene.remembers = false;
    scene.look();
    expect(scene.edit({ pausedByUser: true }).look().byUser).toBe(false);
  });
});

describe('a pause that ends by another way', () => {
  it('is taken back, which resumes nothing', () => {
    const scene = paused().rolloutSays(undefined);
    expect(scene.keep()).toBe(`take-back ${FIRST}`);
    expect([scene.look(), scene.keep()]).toEqual([{ byUser: false, lifted: undefined }, 'nothing']);
  });

  it('that the next one follows at once: the true stands for that one', () => {
    const scene = paused().rolloutSays(atSecond);
    expect(scene.keep()).toBe(`set ${SECOND}`);
    expect(scene.look()).toEqual({ byUser: false, lifted: undefined });
  });

  it('a write that comes late is taken back', () => {
    const scene = new Scene().rolloutSays(undefined).edit({ pausedByUser: true, pausedAt: FIRST });
    expect(scene.keep()).toBe(`take-back ${FIRST}`);
  });

  it('is left until the rollout of the new template has spoken, then taken back', () => {
    const scene = paused().rolloutSays('unspoken');
    expect(scene.keep()).toBe('nothing');
    expect(scene.rolloutSays(undefined).keep()).toBe(`take-back ${FIRST}`);
  });

  it('is taken back where the rollout is over', () => {
    const scene = paused();
    scene.state.rollout!.isOpen = false;
    expect(scene.keep()).toBe(`take-back ${FIRST}`);
  });

  it('is taken back by a workload that lost its state', () => {
    const scene = new Scene().rolloutSays(undefined).edit({ pausedByUser: true, pausedAt: 'r2/0/5' });
    expect([scene.look().byUser, scene.keep()]).toEqual([false, 'take-back r2/0/5']);
  });
});

describe('a user who decides himself', () => {
  it('who no longer asks for it in the pause gets his field back, and the pause goes on', () => {
    const scene = paused().edit({ writePaused: false });
    expect(scene.keep(false)).toBe(`take-back ${FIRST}`);
    expect(scene.look()).toEqual({ byUser: false, lifted: undefined });
    takePauseWritten(scene.state, { act: 'take-back', mark: FIRST });
    expect(scene.edit({ writePaused: true }).keep()).toBe(`set ${FIRST}`);
  });

  it.each<[string, (scene: Scene) => Scene]>([
    ['no longer asks', (scene) => scene.edit({ writePaused: false })],
    ['holds by message', (scene) => scene.rolloutSays({ reason: 'PausedByUser', startedAtMs: 2_000 })],
  ])('who %s resumes nothing by it, also where no answer came and an old look follows', (_sentence, change) => {
    const scene = change(paused());
    const old = { ...scene.object };
    expect(scene.keep(false)).toBe(`take-back ${FIRST}`);
    const fresh = scene.object;
    scene.object = old;
    expect(scene.look()).toEqual({ byUser: false, lifted: undefined });
    scene.object = fresh;
    expect(scene.rolloutSays(atFirst).look()).toEqual({ byUser: false, lifted: undefined });
    expect(scene.edit({ writePaused: true }).keep()).toBe(`set ${FIRST}`);
    expect(scene.edit({ pausedByUser: false }).look().lifted).toBe(FIRST);
  });

  it('who had paused before it began ends it by false, and it is not written again', () => {
    const scene = new Scene().edit({ pausedByUser: true });
    expect(scene.look()).toEqual({ byUser: true, lifted: undefined });
    expect(scene.edit({ pausedByUser: false }).keep()).toBe('nothing');
  });

  it('who puts his own true in the place of the object keeps it', () => {
    const scene = paused().edit({ pausedAt: undefined });
    expect([scene.look().byUser, scene.keep()]).toEqual([true, 'nothing']);
    expect(scene.rolloutSays(undefined).keep()).toBe('nothing');
  });
});

it('a write that is refused is tried again less and less often, and told once', () => {
  const { state } = new Scene();
  const write = { act: 'set', mark: FIRST } as const;
  const dueAfter = (ms: number) => [isPauseWriteDue(state, write, ms - 1), isPauseWriteDue(state, write, ms)];
  takePauseTrouble(state, write, 'No', 0);
  expect(dueAfter(30_000)).toEqual([false, true]);
  takePauseTrouble(state, write, 'No', 0);
  expect(dueAfter(60_000)).toEqual([false, true]);
  for (let tries = 0; tries < 20; tries += 1) takePauseTrouble(state, write, 'No', 0);
  expect(dueAfter(600_000)).toEqual([false, true]);
  expect(isPauseWriteDue(state, { ...write, mark: SECOND }, 0)).toBe(true);
  expect(state.events).toEqual([{ type: 'Warning', reason: 'PauseNotWritten', message: 'No.' }]);
});
