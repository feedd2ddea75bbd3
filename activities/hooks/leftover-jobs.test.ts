/** Jobs of a run with a verdict that may not be ended: told, and the verdict goes its way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { ApiError, type ApiErrorReason } from '../../kubernetes/errors.ts';
import { MeasuringScene } from './measuring-scene.ts';

let scene: MeasuringScene;
/** Names of the Jobs whose deletion was asked for. */
let deleted: string[];

beforeEach(async () => {
  scene = await MeasuringScene.open();
  const provider = { job: { spec: { template: { spec: { containers: [] } } } } };
  const finishedAt = new Date().toISOString();
  scene.given([{ provider } as never], { status: { phase: 'Failed', message: 'metric m failed', finishedAt } });
  deleted = [];
});
afterEach(() => scene.close());

const jobsAre = (list: () => string[], remove: (name: string) => void) => {
  const jobs: Partial<KubernetesClient> = {
    list: async () => ({ items: list().map((name) => ({ metadata: { name, uid: name } })) }) as never,
    delete: async (_type, { name }) => {
      deleted.push(name);
      remove(name);
    },
  };
  Object.assign(scene.api.client, jobs);
};

const refuse = (reason: ApiErrorReason, status: number) => {
  throw new ApiError(`no: ${reason}`, { reason, status, sent: true });
};

const VERDICT = { state: 'ended', outcome: { phase: 'Failed', message: 'metric m failed' } };

describe('a run that has ended with Jobs that go on', () => {
  it('says so where they may not be listed, and answers its verdict', async () => {
    jobsAre(
      () => refuse('forbidden', 403),
      () => undefined,
    );
    expect(await scene.measure()).toMatchObject(VERDICT);
    expect(scene.events()).toEqual([
      'Warning JobsNotEnded Jobs of this run that still go on could not be ended, they go with it: no: forbidden',
    ]);
    expect(scene.warnings).toEqual(['Jobs of a HookRun that has ended could not be ended']);
  });

  it.each([
    ['forbidden', 403],
    ['invalid', 422],
    ['badRequest', 400],
    ['other', 405],
  ] as const)('and where one may not be deleted (%s), which keeps none of the others', async (reason, status) => {
    jobsAre(
      () => ['a', 'b'],
      (name) => (name === 'a' ? refuse(reason, status) : undefined),
    );
    expect(await scene.measure()).toMatchObject(VERDICT);
    expect(deleted).toEqual(['a', 'b']);
    expect(scene.events()).toEqual([expect.stringContaining('Warning JobsNotEnded')]);
  });

  it.each([
    ['unavailable', 503],
    ['tooManyRequests', 429],
    ['unauthorized', 401],
  ] as const)('tries again where the API server cannot just now (%s), also after a refusal', async (reason, status) => {
    jobsAre(
      () => ['a', 'b'],
      (name) => (name === 'a' ? refuse('forbidden', 403) : refuse(reason, status)),
    );
    await expect(scene.measure()).rejects.toThrow(`no: ${reason}`);
    expect(scene.events()).toEqual([]);
  });

  it.each([
    [59_999, 'holds it up'],
    [60_000, 'is told, and the verdict goes its way'],
  ])('what cannot be done %i ms after the end %s', async (ms, what) => {
    const endedAtMs = Date.parse('2026-01-01T00:00:00Z');
    scene.api.run!.status!.finishedAt = new Date(endedAtMs).toISOString();
    scene.nowMs = () => endedAtMs + ms;
    jobsAre(
      () => ['a', 'b'],
      () => refuse('unavailable', 500),
    );
    const outcome = await scene.measure().catch((error: Error) => error.message);
    if (what === 'holds it up') expect(outcome).toBe('no: unavailable');
    else expect(outcome).toMatchObject(VERDICT);
    expect(scene.events().length).toBe(what === 'holds it up' ? 0 : 1);
  });
});
