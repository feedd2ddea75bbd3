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
