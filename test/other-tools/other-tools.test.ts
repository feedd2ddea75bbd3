/** Both kinds as kubectl, Helm, Flux and the autoscaler of Kubernetes meet them, on real servers. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { judgeAuditLog } from '../faults/checker.ts';
import { GameScene } from '../game-deployment/scene.ts';
import { buildKstatus } from '../kstatus/kstatus.ts';
import { autoscaling } from './autoscaling.ts';
import { flapping } from './flapping.ts';
import { type Here, KINDS } from './kinds.ts';
import { MetricsServer } from './metrics-server.ts';
import { people } from './people.ts';
import { readings, readingWithoutController } from './readings.ts';
import { recreated } from './recreated.ts';

vi.setConfig({ maxConcurrency: 10, testTimeout: 300_000 });

let here: Here;
beforeAll(async () => {
  await buildKstatus();
  const scene = await GameScene.open();
  here = { scene, metrics: await MetricsServer.open(scene.stack) };
}, 300_000);
afterAll(async () => {
  await here?.scene.close();
  here?.metrics.close();
});

const STORIES = Object.entries({ ...autoscaling, ...flapping, ...people, ...readings, ...recreated });
const TOLD = STORIES.flatMap(([what, tell]) => KINDS.map((kind) => ({ what, kind, tell })));

describe.concurrent('both kinds', () => {
  it.each(TOLD)('$kind.kind: $what', ({ kind, tell }) => tell(here, kind));
});

it('no write of ours in any of these stories broke a promise', async () => {
  const { violations, judged } = await judgeAuditLog(here.scene.stack.auditLogPath, { words: here.scene.words });
  expect(violations.map(({ sentence }) => sentence)).toEqual([]);
  expect(judged.spending).toBeGreaterThan(15);
});

describe('without a controller', () => {
  beforeAll(() => here.scene.stopController());
  it.each(KINDS)('a new $kind is not taken for ready', (kind) => readingWithoutController(here, kind));
});
