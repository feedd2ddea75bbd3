/** A canary step asks once: its run outlives a lost answer to its creation, whatever its time. */
import { describe, expect, it } from 'vitest';
import { hashSteps, stepsOf } from '../core/rollout/steps-hash.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { HookRun } from '../crds/hook-run.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { hookRuns, hookTemplates } from '../kubernetes/resource-types.ts';
import { expireRun } from './hooks/expiry.ts';
import type { StepHookRequest } from './rollout-types.ts';
import { createStepHookRun, type StepHookPorts } from './step-hooks.ts';

const FINISHED = Date.parse('2026-01-01T00:00:00Z');
const LOBBY = {
  kind: 'GameDeployment',
  metadata: { name: 'lobby', namespace: 'games', uid: 'w' },
  spec: { updateStrategy: { canary: { steps: [{ hook: { templateName: 'good' } }] } } },
  status: { updateRevision: 'lobby-2', currentStepIndex: 0 },
} as unknown as GameWorkload;
const METRIC = { name: 'm', provider: { web: { url: 'http://hook.invalid/', jsonPath: '{.value}' } } };
const TEMPLATE = { metadata: { name: 'good' }, spec: { metrics: [METRIC], ttlSecondsAfterFinished: 0 } };

/** Stores what is created; the first answer is lost. */
class LossyApi {
  run: HookRun | undefined;
  created = 0;
  readonly client = {
    get: async (type: unknown) => {
      const object = type === hookRuns ? this.run : type === hookTemplates ? TEMPLATE : LOBBY;
      if (object === undefined) throw new ApiError('not found', { reason: 'notFound', status: 404, sent: true });
      return structuredClone(object);
    },
    create: async (_type: unknown, run: HookRun) => {
      if (this.run) throw new ApiError('is there', { reason: 'alreadyExists', status: 409, sent: true });
      this.created += 1;
      const status = { phase: 'Successful', finishedAt: '2026-01-01T00:00:00Z' } as const;
      this.run = { ...run, metadata: { ...run.metadata, uid: `u${this.created}` }, status };
      throw new ApiError('no answer', { reason: 'timeout', sent: true });
    },
    delete: async () => {
      this.run = undefined;
    },
  };
}

const KEY: StepHookRequest['key'] = { kind: 'GameDeployment', namespace: 'games', name: 'lobby' };

function creating({ client }: { client: object }, { spec } = LOBBY, warn: (fields: object) => void = () => undefined) {
  const ports = { client, recorder: { record: () => undefined }, log: { warn } } as unknown as StepHookPorts;
  const steps = { stepIndex: 0, stepsHash: hashSteps(stepsOf(spec)) };
  const request = { key: KEY, uid: 'w', revision: 'lobby-2', ...steps, number: 1, attempt: 1 };
  const { signal } = new AbortController();
  return (number: number) => createStepHookRun(ports, request, { number, signal } as never);
}

/** What stands in the cluster, the template last. */
const holding = (lobby: object, template: object) => ({
  client: { get: async (type: unknown) => (type === hookTemplates ? template : lobby) },
});

describe('a fault of ours blocks the step with a sentence, and no attempt comes after it', () => {
  it('while the template is checked', async () => {
    const template = { ...TEMPLATE, spec: { metrics: [null] } };
    expect(await creating(holding(LOBBY, template))(1)).toEqual({
      blocked: 'HookTemplateInvalid',
      message: expect.stringContaining('It could not be checked: a fault of Holdfast: TypeError.'),
    });
  });

  it('while the run is made', async () => {
    const steps = [{ hook: { templateName: 'good', args: [null] } }];
    const lobby = { ...LOBBY, spec: { updateStrategy: { canary: { steps } } } } as unknown as GameWorkload;
    const logged: object[] = [];
    const create = creating(holding(lobby, TEMPLATE), lobby, (fields) => void logged.push(fields));
    const path = 'spec.updateStrategy.canary.steps[0].hook';
    const message = expect.stringContaining(`${path}: its HookRun could not be made: a fault of Holdfast: TypeError`);
    expect(await create(1)).toEqual({ blocked: 'HookRunNotCreated', message });
    expect(logged).toMatchObject([{ fault: 'TypeError', name: 'lobby' }]);
  });

  it('but steps that the rollout has not heard of yet are none', async () => {
    const edited = { ...LOBBY, spec: { updateStrategy: { canary: { steps: [] } } } };
    await expect(creating(holding(edited, TEMPLATE))(1)).rejects.toThrow('has not heard of it yet');
  });
});

it('is found again by the next attempt though its time is 0 and it has ended', async () => {
  const api = new LossyApi();
  const create = creating(api);

  await expect(create(1)).rejects.toThrow('no answer');
  const name = api.run?.metadata.name ?? '';
  for (const seconds of [0, 300, 3600]) {
    const expiry = { client: api.client as never, nowMs: () => FINISHED + seconds * 1000 };
    expect(await expireRun(expiry, { namespace: 'games', name, uid: 'u1' })).toMatchObject({ state: 'waiting' });
  }
  expect(await create(2)).toEqual({ hookRun: name, phase: 'Successful' });
  expect(api.created).toBe(1);
});
