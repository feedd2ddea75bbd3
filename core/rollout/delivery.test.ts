import { describe, expect, test } from 'vitest';
import { RolloutStory, STORY_BEGAN_MS } from '../../test/support/rollout-story.ts';
import { applySent, applyTick, applyUndelivered } from './reports.ts';
import type { RolloutState } from './state.ts';
import { wants } from './wants.ts';

/** A rollout whose first allowance found nobody. */
const unheard = (): RolloutState => {
  const { state } = new RolloutStory([{ partition: 1 }]).revise({});
  return applyUndelivered(applySent(state, state.sequence), STORY_BEGAN_MS);
};

describe('a workload whose workflow is not there', () => {
  test('is told again after a while', () => {
    const state = unheard();
    expect(wants(state, STORY_BEGAN_MS)).toMatchObject({ act: 'wait', alarm: { untilMs: STORY_BEGAN_MS + 1000 } });
    const later = STORY_BEGAN_MS + 1000;
    expect(wants(applyTick(state, later), later)).toMatchObject({ act: 'allow', sequence: state.sequence });
  });

  test('that stays away for ten minutes ends the rollout', () => {
    let state = unheard();
    let nowMs = STORY_BEGAN_MS;
    for (let tries = 0; tries < 20 && !state.closed; tries += 1) {
      nowMs = state.delivery!.retryAtMs;
      state = applyUndelivered(applySent(applyTick(state, nowMs), state.sequence), nowMs);
    }
    expect((nowMs - STORY_BEGAN_MS) / 60_000).toBeGreaterThan(7);
    expect(wants(state, nowMs)).toMatchObject({ act: 'close', result: { outcome: 'Superseded' } });
    expect(state.log.at(-1)?.reason).toBe('no workflow gamedeployment/default/lobby is there to carry it out');
  });
});

describe('a word that a lost workflow task sent (docs/adr/0018)', () => {
  const foreign = (state: RolloutState) => state.sequence + 5_000;
  const at = { partition: 1 };
  const begun = (start = {}) => new RolloutStory([at, { pause: {} }], start);

  test.each<{ what: string; tell: (story: RolloutStory, word: number) => unknown; kept?: string }>([
    { what: 'that its pods are there', tell: (story, word) => story.reach(1, word) },
    {
      what: 'that it is blocked, which counts all the same',
      tell: (story, word) => story.block('GateWaiting', 'why', word),
      kept: 'GateWaiting',
    },
  ])('is outbid where the workload says $what under it', ({ tell, kept }) => {
    const story = begun();
    const word = foreign(story.state);
    tell(story, word);
    expect(story.state.blocked?.reason).toBe(kept);
    expect(story.at).toBe('0 partition');
    expect(story.sent.at(-1)).toMatchObject({ sequence: word + 1, allowance: at });
    expect(story.reach(1, word).at).toBe('0 partition');
    expect(story.reach(1).at).toBe('1 pause paused');
  });

  test('is ignored by runs of earlier rules, and where another rollout said it', () => {
    const old = begun({ rulesVersion: 4 });
    expect(old.reach(1, foreign(old.state)).sent).toHaveLength(1);
    const story = begun();
    expect(story.reach(1, foreign(story.state), 2).sent).toHaveLength(1);
  });
});
