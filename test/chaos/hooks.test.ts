/**
 * Issue 5: pods whose hooks first fail, then error, then succeed, updated while the controller is killed again and again and the
 * hooks' server is restarted: some are made anew and asked before, others are updated in place and asked before and after.
 * `HOLDFAST_CHAOS=full`: 200 and 40 pods, and 20 kills.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOOK_RUN_TYPE_LABEL, POD_UID_LABEL } from '../../core/keys.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type CommittedWrite, orderWrites, readAuditLog } from '../faults/audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import { type Game, restartsOf } from './game.ts';
import { seeded } from './seeded.ts';
import { StubbornHooks } from './stubborn-hooks.ts';

const [REPLICAS, IN_PLACE, KILLS] = process.env.HOLDFAST_CHAOS === 'full' ? [200, 40, 20] : [30, 10, 5];
/** Of the writes of the updates, one in so many is followed by a kill. */
const WRITES_PER_KILL = ((REPLICAS + IN_PLACE) * 6) / KILLS;
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
const metricOf = (question: string) => ({
  ...{ count: 0, interval: '1s', successfulLimit: 1, successCondition: 'asInt(result) < 30' },
  provider: { web: { url: hooks.urlOf(question), jsonPath: '{$.age}' } },
});

/** One at a time of ten, asked before each goes. */
const startAnew = (): Promise<Game> => {
  const strategy = { type: 'RollingUpdate' as const, maxUnavailable: '10%', canary: { steps: [] } };
  return chaos.scene.startGame({ replicas: REPLICAS, gated: true, strategy, metric: metricOf('delete') }, 'stubborn');
};

/** Of the other kind, two at a time of ten, asked before and after. */
const startInPlace = (): Promise<Game> => {
  const strategy = { maxUnavailable: '20%', canary: { steps: [] }, inPlaceUpdateStrategy: { gracePeriodSeconds: 0 } };
  const around = { before: metricOf('before'), after: metricOf('after') };
  const set = { kind: 'GameStatefulSet', podManagementPolicy: 'Parallel' } as const;
  return chaos.scene.startGame({ ...set, replicas: IN_PLACE, strategy, around }, 'stubborn-set');
};

/** Kills after commits that chance chooses; with some of them the server of the hooks goes away for as long. */
function killAtRandom(games: readonly Game[]): { kills: number; outages: number } {
  const isChosen = seeded(games[0]!.namespace, 1 / WRITES_PER_KILL);
  const { operator } = chaos;
  const count = { kills: 0, outages: 0 };
  const arm = () =>
    operator.proxy.afterCommit(
      (write) => games.some((game) => isOf(write, game)) && isChosen(),
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

const writesOf = async ({ namespace }: Game): Promise<CommittedWrite[]> =>
  orderWrites(await readAuditLog(chaos.scene.stack.auditLogPath)).filter(({ key }) => key.startsWith(`${namespace}/`));

function isRunOf({ resource, event }: CommittedWrite, pod: Pod, type: string): boolean {
  const labels = (event.responseObject as unknown as HookRun | undefined)?.metadata?.labels;
  const isOfPod = labels?.[POD_UID_LABEL] === pod.metadata.uid && labels?.[HOOK_RUN_TYPE_LABEL] === type;
  return resource.startsWith('hookruns') && isOfPod;
}

/** When the success that was used was there to be read, and how many runs were made for the pod. */
function storyOf(writes: readonly CommittedWrite[], pod: Pod, type: string): { runs: string[]; passedAtMs: number } {
  const own = writes.filter((write) => isRunOf(write, pod, type));
  const created = own.filter(({ event, resource }) => resource === 'hookruns' && event.verb === 'create');
  const passed = own.find(({ event }) => (event.responseObject?.status as HookRun['status'])?.phase === 'Successful');
  return { runs: created.map(({ key }) => key), passedAtMs: passed?.answeredMs ?? Number.NaN };
}

/** Each pod was asked until it said yes, and nobody asked again after that. */
function assertAskedInFull(
  writes: readonly CommittedWrite[],
  pods: readonly Pod[],
  question: string,
  type: string,
): void {
  for (const pod of pods) {
    const { name } = pod.metadata;
    const { runs, passedAtMs } = storyOf(writes, pod, type);
    const questions = hooks.questionsOf(question, name);
    const late = questions.filter(({ atMs }) => atMs > passedAtMs);
    expect({ name, question, runs, late }).toEqual({ name, question, runs: [...new Set(runs)], late: [] });
    expect(questions.map(({ answer }) => answer).slice(0, 3)).toEqual(['no', 'error', 'yes']);
  }
}

test(`${REPLICAS} and ${IN_PLACE} pods with hooks that fail, err and succeed`, async () => {
  const [anew, inPlace] = await Promise.all([startAnew(), startInPlace()]);
  const [before, kept] = [await anew.pods(), await inPlace.pods()];
  const count = killAtRandom([anew, inPlace]);
  await Promise.all([anew.setImage(2), inPlace.setImage(2)]);
  for (const game of [anew, inPlace]) expect((await game.result(PATIENCE_MS)).outcome).toBe('Completed');
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  expect((await anew.isUp(2)).filter(({ metadata }) => old.has(metadata.uid))).toEqual([]);
  expect(restartsOf(await inPlace.isUp(2))).toEqual(kept.map(() => 1));
  expect(count.kills).toBe(KILLS);
  expect(count.outages).toBeGreaterThan(0);
  // No pod went or was changed before its own hook had succeeded for its own attempt, and none was asked too early or twice.
  const judged = await chaos.scene.assertKept();
  expect(judged.spending).toBeGreaterThanOrEqual(REPLICAS + IN_PLACE);
  expect(judged.questions).toBeGreaterThanOrEqual(REPLICAS + 2 * IN_PLACE);
  await chaos.scene.keepHistory(anew.workloadId, 'workload-hooks-killed');
  assertAskedInFull(await writesOf(anew), before, 'delete', 'pre-delete-step');
  assertAskedInFull(await writesOf(inPlace), kept, 'before', 'pre-inplace-step');
  assertAskedInFull(await writesOf(inPlace), kept, 'after', 'post-inplace-step');
}, 1_800_000);
