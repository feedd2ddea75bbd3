/** report against the real apiserver: one whole PUT at the observed version, and nothing when nothing changed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { report } from '../../activities/report.ts';
import { recordRevision } from '../../activities/revisions.ts';
import type { ReportRequest } from '../../activities/types.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import { UNOBSERVED_STATUS } from '../../crds/workload-status.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { gameDeployments } from '../../kubernetes/resource-types.ts';
import { type BookkeepingServer, makeAttempt, startBookkeepingServer, withMethods } from './bookkeeping-server.ts';
import { createPod, createWorkload, NAMESPACE, setImage } from './workloads.ts';

let server: BookkeepingServer;
let client: KubernetesClient;

beforeAll(async () => {
  server = await startBookkeepingServer();
  client = server.ports.client;
});

afterAll(async () => {
  await server?.stop();
});

beforeEach(() => {
  server.notes.length = 0;
});

const keyOf = ({ metadata }: GameDeployment) => ({
  kind: 'GameDeployment' as const,
  namespace: NAMESPACE,
  name: metadata.name,
});

/** A request whose fence is the workload's revision, as the workflow's is. */
async function requestFor(workload: GameDeployment, changes: Partial<ReportRequest> = {}): Promise<ReportRequest> {
  const key = keyOf(workload);
  const uid = workload.metadata.uid ?? '';
  const { updateRevision, written } = await recordRevision(
    server.ports,
    { key, uid, fence: { written: {}, gone: [] } },
    makeAttempt(),
  );
  return {
    key,
    uid,
    context: { allowance: null, unresolved: [], issued: [], backOff: { count: 0, untilMs: 0 }, gates: {} },
    fence: { written, gone: [] },
    updateRevision,
    stableRevision: updateRevision,
    view: null,
    moving: false,
    consumedResume: [],
    events: [],
    ...changes,
  };
}

const read = ({ metadata }: GameDeployment) => client.get(gameDeployments, metadata);
const reasons = () => server.notes.map(({ type, reason }) => `${type} ${reason}`);

describe('the status', () => {
  test('is written whole; the same again is not written', async () => {
    const workload = await createWorkload(client, 'whole');
    const request = await requestFor(workload);
    const written = await createPod(client, workload, 'whole-aaaaa', request.updateRevision);
    request.fence.written.pods = written.metadata.resourceVersion ?? '';
    const answer = await report(server.ports, request, makeAttempt());
    expect(JSON.parse(answer?.shown ?? '')).toMatchObject([
      1,
      { replicas: 1, ready: 0, unavailable: 2 },
      [expect.stringContaining('PodsNotReady')],
    ]);
    const { status, spec, metadata } = await read(workload);
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 1,
      readyReplicas: 0,
      updatedReplicas: 1,
      unavailableReplicas: 2,
      updateRevision: request.updateRevision,
      currentRevision: request.updateRevision,
      labelSelector: 'app=whole',
      moving: false,
    });
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'Ready',
      'Available',
      'Progressing',
      'Paused',
      'Degraded',
    ]);
    expect(spec).toEqual(workload.spec);
    await report(server.ports, request, makeAttempt(2));
    expect((await read(workload)).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('feeds the scale subresource: an HPA finds its pods', async () => {
    const workload = await createWorkload(client, 'scaled');
    await report(server.ports, await requestFor(workload), makeAttempt());
    const scale = JSON.parse(await server.kubectl('get', 'gamedeployment/scaled', '--subresource=scale', '-o', 'json'));
    expect(scale.status).toMatchObject({ replicas: 0, selector: 'app=scaled' });
  });

  test('a conflict is observed again: the newer object is what the status speaks of', async () => {
    const workload = await createWorkload(client, 'conflict');
    const request = await requestFor(workload);
    let puts = 0;
    const replaceStatus: KubernetesClient['replaceStatus'] = async (type, object, options) => {
      puts += 1;
      // Somebody scales the workload between the observation and the first PUT.
      if (puts === 1) await client.patch(gameDeployments, object.metadata, mergePatch({}, { spec: { replicas: 7 } }));
      return await client.replaceStatus(type, object, options);
    };
    const ports = { ...server.ports, client: withMethods(client, { replaceStatus }) };
    await report(ports, request, makeAttempt());
    expect(puts).toBe(2);
    const { spec, status } = await read(workload);
    expect(spec.replicas).toBe(7);
    expect(status).toMatchObject({ observedGeneration: 2, unavailableReplicas: 7 });
  });
});

describe('no status is written', () => {
  test('of a spec that the workflow has not seen yet; the events are told', async () => {
    const workload = await createWorkload(client, 'unseen');
    const events = [{ type: 'Normal' as const, reason: 'SuccessfulCreate', message: 'Created pod unseen-aaaaa.' }];
    const request = await requestFor(workload, { events });
    await setImage(client, workload, 'game:2');
    await report(server.ports, { ...request, fence: { written: { gamedeployments: '1' }, gone: [] } }, makeAttempt(2));
    expect((await read(workload)).status).toEqual(UNOBSERVED_STATUS);
    expect(reasons()).toEqual(['Normal SuccessfulCreate']);
  });

  test.each(['another uid', 'gone'])('%s: nor an event, and nothing fails', async (how) => {
    const workload = await createWorkload(client, how.replace(' ', '-'));
    const request = await requestFor(workload);
    if (how === 'gone') await client.delete(gameDeployments, workload.metadata);
    else request.uid = 'other';
    await report(server.ports, request, makeAttempt(2));
    expect(reasons()).toEqual([]);
    if (how !== 'gone') expect((await read(workload)).status).toEqual(UNOBSERVED_STATUS);
  });
});

describe('what is told', () => {
  test('a pause is a condition with the way out and an event, once', async () => {
    const workload = await createWorkload(client, 'paused');
    const request = await requestFor(workload, { stableRevision: 'paused-old' });
    const view = {
      ...{ number: 1, phase: 'Paused' as const, stepIndex: 1, stepCount: 2, stepsHash: 'h', message: 'Waits.' },
      pause: { reason: 'PausedByCanaryPauseStep' as const, startedAtMs: Date.now() },
    };
    await report(server.ports, { ...request, view: { ...view, pause: undefined } }, makeAttempt());
    server.notes.length = 0;
    await report(server.ports, { ...request, view }, makeAttempt(2));
    expect(reasons()).toEqual(['Normal PausedByCanaryPauseStep']);
    const paused = (await read(workload)).status?.conditions?.find(({ type }) => type === 'Paused');
    expect(paused).toMatchObject({ status: 'True', reason: 'PausedByCanaryPauseStep', observedGeneration: 1 });
    expect(paused?.message).toContain(
      'temporal workflow signal -w gamedeployment/default/paused/rollout --name resume',
    );
    server.notes.length = 0;
    await report(server.ports, { ...request, view }, makeAttempt(2));
    expect(reasons()).toEqual([]);
  });
});
