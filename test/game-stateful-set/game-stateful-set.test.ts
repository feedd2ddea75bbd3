/** What a person sees of GameStatefulSets, on real servers: one controller, all stories side by side. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { judgeAuditLog } from '../faults/checker.ts';
import { GameScene } from '../game-deployment/scene.ts';
import { acts } from './acts.ts';
import { inPlaceHooks } from './in-place-hooks.ts';
import { lifetimes } from './lifetimes.ts';
import { namesakes } from './namesakes.ts';
import { ordinals } from './ordinals.ts';
import { refusedFirst } from './refused-first.ts';
import { updates } from './updates.ts';

vi.setConfig({ maxConcurrency: 10, testTimeout: 300_000 });

let scene: GameScene;
beforeAll(async () => {
  scene = await GameScene.open();
});
afterAll(() => scene?.close());

const THEMES = { acts, ordinals, updates, inPlaceHooks, namesakes, lifetimes, refusedFirst };

describe.concurrent.each(Object.entries(THEMES))('%s', (_theme, stories) => {
  it.each(Object.entries(stories))('%s', (_name, tell) => tell(scene));
});

it('no write of ours in any of these stories broke a promise', async () => {
  const { violations, judged } = await judgeAuditLog(scene.stack.auditLogPath, { words: scene.words });
  expect(violations.map(({ sentence }) => sentence)).toEqual([]);
  expect(judged.spending).toBeGreaterThan(15);
});
