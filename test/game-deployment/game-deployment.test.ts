/** What a person sees of GameDeployments, on real servers: one controller, all stories side by side. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { judgeAuditLog } from '../faults/checker.ts';
import { brokenInput } from './broken-input.ts';
import { byHand } from './by-hand.ts';
import { costs } from './costs.ts';
import { creation } from './creation.ts';
import { gates } from './gates.ts';
import { healing } from './healing.ts';
import { hungWebhook } from './hung-webhook.ts';
import { inPlaceHooks } from './in-place-hooks.ts';
import { lifetimes } from './lifetimes.ts';
import { notImplemented } from './not-implemented.ts';
import { pauses } from './pauses.ts';
import { providers } from './providers.ts';
import { refusedFirst } from './refused-first.ts';
import { rollbacks } from './rollbacks.ts';
import { rollouts } from './rollouts.ts';
import { scaling } from './scaling.ts';
import { GameScene } from './scene.ts';
import { story } from './story.ts';
import { updates } from './updates.ts';
import { verbs } from './verbs.ts';
import { whatPeopleSee } from './what-people-see.ts';
import { writePaused } from './write-paused.ts';

vi.setConfig({ maxConcurrency: 10, testTimeout: 300_000 });

let scene: GameScene;
beforeAll(async () => {
  scene = await GameScene.open();
});
afterAll(() => scene?.close());

/** What takes longest goes first. */
const THEMES = {
  ...{ hungWebhook, story, gates, inPlaceHooks, healing, updates, scaling, pauses, verbs, rollouts },
  ...{ byHand, creation, writePaused, rollbacks, providers },
  ...{ brokenInput, refusedFirst, notImplemented, lifetimes, whatPeopleSee, costs },
};

describe.concurrent.each(Object.entries(THEMES))('%s', (_theme, stories) => {
  it.each(Object.entries(stories))('%s', (_name, tell) => tell(scene));
});

it('no write of ours in any of these stories broke a promise', async () => {
  const { violations, judged } = await judgeAuditLog(scene.stack.auditLogPath, { words: scene.words });
  expect(violations.map(({ sentence }) => sentence)).toEqual([]);
  expect(judged.spending).toBeGreaterThan(50);
  expect(judged.questions).toBeGreaterThan(30);
});
