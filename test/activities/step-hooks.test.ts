/** The HookRun of a canary step, and the closing summary, against the real apiserver. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeRollout } from '../../activities/rollout-summary.ts';
import type { StepHookRequest } from '../../activities/rollout-types.ts';
import { cancelStepHookRun, createStepHookRun } from '../../activities/step-hooks.ts';
import { hashSteps, stepsOf } from '../../core/rollout/steps-hash.ts';
import { API_VERSION } from '../../crds/api.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookStep } from '../../crds/hook-step.ts';
import type { HookTemplateSpec } from '../../crds/hook-template.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { controllerRevisions, gameDeployments, hookRuns, hookTemplates } from '../../kubernetes/resource-types.ts';
import { type BookkeepingServer, makeAttempt, startBookkeepingServer } from './bookkeeping-server.ts';
import { createWorkload, NAMESPACE, ownerOf } from './workloads.ts';

const WEB = { name: 'web', provider: { web: { url: 'http://hook.invalid/', jsonPath: '{$.age}' } } };

let server: BookkeepingServer;
let client: KubernetesClient;

beforeAll(async () => {
  server = await startBookkeepingServer();
  client = server.ports.client;
  await createTemplate('good', { args: [{ name: 'map' }], metrics: [WEB] });
});

afterAll(async () => {
  await server?.stop();
});

beforeEach(() => {
  server.notes.length = 0;
});

async function createTemplate(name: string, spec: HookTemplateSpec): Promise<void> {
  const metadata = { namespace: NAMESPACE, name };
  await client.create(hookTemplates, { apiVersion: API_VERSION, kind: 'HookTemplate', metadata, spec });
}

/** A workload whose second step is the hook. */
async function createCanary(name: string, hook: HookStep): Promise<GameDeployment> {
  return await createWorkload(client, name, { updateStrategy: { canary: { steps: [{ partition: 1 }, { hook }] } } });
}

const goodStep: HookStep = { templateName: 'good', args: [{ name: 'map', value: 'sea' }] };

function requestFor({ metadata, spec }: GameDeployment, changes: Partial<StepHookRequest> = {}): StepHookRequest {
  return {
    key: { kind: 'GameDeployment', namespace: NAMESPACE, name: metadata.name },
    uid: metadata.uid ?? '',
    revision: `${metadata.name}-rev`,
    stepIndex: 1,
    stepsHash: hashSteps(stepsOf(spec)),
    number: 1,
    attempt: 1,
    ...changes,
  };
}

const create = (request: StepHookRequest, number = 1) => createStepHookRun(server.ports, request, makeAttempt(number));

async function setPhase(name: string, phase: HookPhase): Promise<void> {
  const run = await client.get(hookRuns, { namespace: NAMESPACE, name });
  await client.replaceStatus(hookRuns, { ...run, status: { phase, message: `It is ${phase}.` } });
}

describe('a run is created', () => {
  test('with its arguments, labels and owner; the same request finds it again', async () => {
    const workload = await createCanary('lobby', goodStep);
    const request = requestFor(workload);
    const answer = await create(request);
    expect(answer).toEqual({ hookRun: 'canary-lobby-rev-1-good' });
    const run = await client.get(hookRuns, { namespace: NAMESPACE, name: 'canary-lobby-rev-1-good' });
    expect(run.metadata).toMatchObject({
      labels: { 'hookrun-type': 'canary-step', 'workload-revision': 'lobby-rev', 'canary-step-index': '1' },
      ownerReferences: [ownerOf(workload)],
    });
    expect(run.spec.args).toEqual([{ name: 'map', value: 'sea' }]);
    await setPhase(run.metadata.name, 'Failed');
    expect(await create(request)).toEqual({ ...answer, phase: 'Failed', message: 'It is Failed.' });
  });

  test('row 114: beside one that ended for an earlier rollout, under the next name', async () => {
    const workload = await createCanary('later', goodStep);
    await create(requestFor(workload));
    await setPhase('canary-later-rev-1-good', 'Successful');
    expect(await create(requestFor(workload, { number: 2 }))).toEqual({ hookRun: 'canary-later-rev-1-good.1' });
    expect(await create(requestFor(workload, { number: 2 }))).toEqual({ hookRun: 'canary-later-rev-1-good.1' });
  });

  test('row 114: but one that still runs the very same checks is used', async () => {
    const workload = await createCanary('running', goodStep);
    await create(requestFor(workload));
    expect(await create(requestFor(workload, { number: 2 }))).toEqual({ hookRun: 'canary-running-rev-1-good' });
  });

  test('decision 35: arguments that the template does not declare are left out and named', async () => {
    const args = [...(goodStep.args ?? []), { name: 'token', value: 'secret' }];
    await create(requestFor(await createCanary('dropped', { ...goodStep, args })));
    expect(server.notes).toMatchObject([
      { type: 'Warning', note: 'HookTemplate good does not declare token: left out.' },
    ]);
  });
});

describe('a run is not created', () => {
  const path = 'spec\\.updateStrategy\\.canary\\.steps\\[1\\]\\.hook';

  test.each<[string, HookTemplateSpec | null, string, RegExp]>([
    [
      'template-missing',
      null,
      'HookTemplateMissing',
      new RegExp(`^${path}\\.templateName names HookTemplate template-missing, which does not exist\\.$`),
    ],
    [
      'argument-open',
      { args: [{ name: 'open' }], metrics: [WEB] },
      'HookArgumentUnresolved',
      new RegExp(`^${path}\\.args: .*open.*\\.$`),
    ],
    [
      'expression-broken',
      { metrics: [{ ...WEB, successCondition: 'asInt(result' }] },
      'HookTemplateInvalid',
      new RegExp(`^${path}\\.templateName names HookTemplate expression-broken, .*successCondition.*\\.$`),
    ],
    [
      'provider-later',
      { metrics: [{ name: 'shell', provider: { exec: { container: 'game', command: ['true'] } } }] },
      'NotImplemented',
      new RegExp(`^${path}\\.templateName names HookTemplate provider-later, .*provider\\.exec.*\\.$`),
    ],
  ])('%s: one sentence with the path', async (name, template, reason, message) => {
    if (template !== null) await createTemplate(name, template);
    const answer = await create(requestFor(await createCanary(name, { templateName: name })));
    expect(answer).toEqual({ blocked: reason, message: expect.stringMatching(message) });
    const { items } = await client.list(hookRuns, {
      namespace: NAMESPACE,
      labelSelector: `workload-revision=${name}-rev`,
    });
    expect(items).toEqual([]);
  });

  test('steps that were edited: tried again until the rollout has heard of it, then told', async () => {
    const workload = await createCanary('edited', goodStep);
    const request = requestFor(workload, { stepsHash: 'before' });
    await expect(create(request)).rejects.toThrow('has not heard of it yet');
    expect(await create(request, 4)).toMatchObject({ blocked: 'StepsChanged' });
  });

  test('another object of the name', async () => {
    const workload = await createCanary('foreign', goodStep);
    expect(await create(requestFor(workload, { uid: 'other' }))).toMatchObject({ blocked: 'WorkloadGone' });
    await client.delete(gameDeployments, workload.metadata);
    expect(await create(requestFor(workload))).toMatchObject({ blocked: 'WorkloadGone' });
  });
});

describe('cancelling', () => {
  const cancel = (hookRun: string) => cancelStepHookRun(server.ports, { namespace: NAMESPACE, hookRun }, makeAttempt());

  test('terminates a run; one that ended or is gone is left alone', async () => {
    await create(requestFor(await createCanary('cancelled', goodStep)));
    const name = 'canary-cancelled-rev-1-good';
    await cancel(name);
    const run = await client.get(hookRuns, { namespace: NAMESPACE, name });
    expect(run.spec.terminate).toBe(true);
    await client.patch(hookRuns, run.metadata, mergePatch({}, { spec: { terminate: null } }));
    await setPhase(name, 'Successful');
    await cancel(name);
    expect((await client.get(hookRuns, { namespace: NAMESPACE, name })).spec.terminate).toBeUndefined();
    await cancel('nobody');
  });
});

describe('the closing summary', () => {
  const result = (toRevision: string) => ({
    outcome: 'Completed' as const,
    number: 1,
    fromRevision: 'old',
    toRevision,
    startedAt: '2026-11-30T06:00:00Z',
    endedAt: '2026-11-30T07:00:00Z',
    steps: [{ step: 0, what: 'partition 1', startedAt: '2026-11-30T06:00:00Z', outcome: 'done' as const }],
  });

  test('stands on the revision of its own workload only', async () => {
    const workload = await createWorkload(client, 'closed');
    const key = { kind: 'GameDeployment' as const, namespace: NAMESPACE, name: 'closed' };
    for (const [name, ownerReferences] of [
      ['closed-own', [ownerOf(workload)]],
      ['closed-foreign', []],
    ] as const) {
      const metadata = { namespace: NAMESPACE, name, ownerReferences: [...ownerReferences] };
      await client.create(controllerRevisions, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata,
        revision: 1,
        data: {},
      });
    }
    for (const name of ['closed-own', 'closed-foreign', 'closed-gone']) {
      await closeRollout(server.ports, { key, uid: workload.metadata.uid ?? '', result: result(name) }, makeAttempt());
    }
    const annotationOf = async (name: string) =>
      (await client.get(controllerRevisions, { namespace: NAMESPACE, name })).metadata.annotations?.[
        'holdfast.dev/rollout'
      ];
    expect(JSON.parse((await annotationOf('closed-own')) ?? '')).toEqual(result('closed-own'));
    expect(await annotationOf('closed-foreign')).toBeUndefined();
  });
});
