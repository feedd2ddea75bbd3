/**
 * Issue 5: pods whose hook first fails, then errors, then succeeds, updated while the controller is killed again and again and the
 * hook's server is restarted. `HOLDFAST_CHAOS=full`: 200 pods and 20 kills.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POD_UID_LABEL } from '../../core/keys.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type CommittedWrite, orderWrites, readAuditLog } from '../faults/audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { seeded } from './seeded.ts';
import { StubbornHooks } from './stubborn-hooks.ts';

const [REPLICAS, KILLS] = process.env.HOLDFAST_CHAOS === 'full' ? [200, 20] : [30, 5];
/** Of the writes of the update, one in so many is followed by a kill. */
const WRITES_PER_KILL = (REPLICAS * 6) / KILLS;
const PATIENCE_MS = 1_500_000;
/** The server is away while every fourth new controller comes up. */
const KILLS_PER_OUTAGE = 4;

const chaos = staffScene();
let hooks: StubbornHooks;
beforeAll(async () => {
  hooks = await StubbornHooks.open();
});
afterAll(() => hooks?.stop());

/** A poll: no number of failures or errors ends it. */
const METRIC = { count: 0, interval: '1s', successfulLimit: 1, successCondition: 'asInt(result) < 30' };

/** Kills after commits that chance chooses; with some of them the server of the hooks goes away for as long. */
function killAtRandom(game: Game): { kills: number; outages: number } {
  const isChosen = seeded(game.namespace, 1 / WRITES_PER_KILL);
  const { operator } = chaos;
  const count = { kills: 0, outages: 0 };
  const arm = () =>
    operator.proxy.afterCommit(
      (write) => isOf(write, game) && isChosen(),
      async () => {
        count.kills += 1;
        const isOutage = count.kills % KILLS_PER_OUTAGE === 1;
        if (isOutage) {
          count.outages += 1;
          await hooks.stop();
        }
        if (count.kills < KILLS) arm();
        await operator.controller.current.kill();
        if (isOutage) await comeBack();
      },
    );
  arm();
  return count;
}

/** Only when the next controller runs: it is to find nobody there. */
async function comeBack(): Promise<void> {
  const isReady = async () => (await fetch(chaos.operator.readyUrl)).ok || Promise.reject(new Error('not ready'));
  await eventually('the next controller is ready', isReady, { timeoutMs: 120_000 });
  await hooks.start();
}

const isRunOf = ({ event }: CommittedWrite, pod: Pod): boolean =>
  (event.responseObject as unknown as HookRun | undefined)?.metadata?.labels?.[POD_UID_LABEL] === pod.metadata.uid;

/** When the success that was used was there to be read, and how many runs were made for the pod. */
function storyOf(writes: readonly CommittedWrite[], pod: Pod): { runs: string[]; passedAtMs: number } {
  const own = writes.filter((write) => write.resource.startsWith('hookruns') && isRunOf(write, pod));
  const created = own.filter(({ event, resource }) => resource === 'hookruns' && event.verb === 'create');
  const passed = own.find(({ event }) => (event.responseObject?.status as HookRun['status'])?.phase === 'Successful');
  return { runs: created.map(({ key }) => key), passedAtMs: passed?.answeredMs ?? Number.NaN };
}

test(`${REPLICAS} pods with a hook that fails, errors and succeeds`, async () => {
  const strategy = { type: 'RollingUpdate' as const, maxUnavailable: '10%', canary: { steps: [] } };
  const metric = { ...METRIC, provider: { web: { url: hooks.url, jsonPath: '{$.age}' } } };
  const game = await chaos.scene.startGame({ replicas: REPLICAS, gated: true, strategy, metric }, 'stubborn');
  const before = await game.pods();
  const count = killAtRandom(game);
  await game.setImage(2);
  expect((await game.result(PATIENCE_MS)).outcome).toBe('Completed');
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  expect((await game.isUp(2)).filter(({ metadata }) => old.has(metadata.uid))).toEqual([]);
  expect(count.kills).toBe(KILLS);
  expect(count.outages).toBeGreaterThan(0);
  // No pod went before its own hook had succeeded for its own attempt.
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(REPLICAS);
  await chaos.scene.keepHistory(game.workloadId, 'workload-hooks-killed');
  const writes = orderWrites(await readAuditLog(chaos.scene.stack.auditLogPath)).filter((write) =>
    write.key.startsWith(`${game.namespace}/`),
  );
  for (const pod of before) {
    const { runs, passedAtMs } = storyOf(writes, pod);
    const questions = hooks.questionsOf(pod.metadata.name);
    const late = questions.filter(({ atMs }) => atMs > passedAtMs);
    expect({ pod: pod.metadata.name, runs, late }).toEqual({
      pod: pod.metadata.name,
      runs: [...new Set(runs)],
      late: [],
    });
    expect(questions.map(({ answer }) => answer).slice(0, 3)).toEqual(['no', 'error', 'yes']);
  }
}, 1_800_000);
