/** What the provider job says while the API server cannot, or will not, do what it is asked; test/hooks has a real one. */
import { afterAll, describe, expect, it } from 'vitest';
import type { JobProvider } from '../../../crds/provider.ts';
import { ApiError, type ApiErrorReason } from '../../../kubernetes/errors.ts';
import { measureJob } from './job.ts';
import { ProviderScene, problemOf } from './provider-scene.ts';
import type { ProviderPorts } from './types.ts';

const scene = new ProviderScene();
afterAll(() => scene.close());

const fail = (reason: ApiErrorReason, status: number) => async () => {
  throw new ApiError(`no: ${reason}`, { reason, status, sent: true });
};
const provider: JobProvider = { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } };

function measure(client: Partial<ProviderPorts['client']>) {
  const context = scene.context();
  return measureJob(provider, { ...context, ports: { ...context.ports, client: client as ProviderPorts['client'] } });
}

describe('where nobody knows whether it was done, it is looked at again, and people read why', () => {
  const absent = fail('notFound', 404);
  const ofThisRun = { metadata: { name: 'run-1', annotations: {}, ownerReferences: [{ uid: 'u1' }] }, spec: {} };
  const held = { ...ofThisRun, metadata: { ...ofThisRun.metadata, annotations: { 'holdfast.dev/held': 'true' } } };

  it.each<[string, Partial<ProviderPorts['client']>, string]>([
    ['read', { get: fail('timeout', 504) }, 'waits for the API server: no: timeout'],
    [
      'a webhook that is down answers 500 to the creation',
      { get: absent, create: fail('unavailable', 500) },
      'waits for its Job to be created: no: unavailable',
    ],
    [
      'let go',
      { get: (async () => held) as never, patch: fail('tooManyRequests', 429) },
      'waits for what Job run-1 does: no: tooManyRequests',
    ],
  ])('%s', async (_title, client, pending) => {
    expect(await measure(client)).toMatchObject({ pending, againInMs: expect.any(Number) });
  });

  it('a refusal is an Error instead', async () => {
    const problem = await problemOf(measure({ get: absent, create: fail('forbidden', 403) }));
    expect(problem).toBe('provider.job: the Job may not be created or read: no: forbidden');
  });
});

describe('the Jobs of a poll', () => {
  const notFound = () => new ApiError('absent', { reason: 'notFound', status: 404, sent: true });

  /** An API server with Jobs by name, those of measurements 1 to `made` first. */
  class Jobs {
    readonly byName = new Map<string, { metadata: Record<string, unknown> }>();
    readonly deleted: unknown[] = [];
    readonly names: string[] = [];
    failing: ApiErrorReason | undefined;

    async make(made: number): Promise<void> {
      for (let number = 1; number <= made; number += 1) await this.measure(number);
    }

    measure(number: number) {
      const { ports, ...context } = scene.context({}, { number });
      return measureJob(provider, { ...context, ports: { ...ports, client: this.#client } });
    }

    /** Numbers of the measurements whose Jobs are there. */
    left = () => this.names.flatMap((name, index) => (this.byName.has(name) ? [index + 1] : []));

    readonly #client = {
      get: async (_type: unknown, { name }: { name: string }) => {
        const job = this.byName.get(name);
        if (job === undefined) throw notFound();
        return job;
      },
      create: async (_type: unknown, job: { metadata: { name: string } }) => {
        const made = { ...job, metadata: { ...job.metadata, uid: `uid-${this.names.length + 1}` } };
        this.byName.set(job.metadata.name, made);
        this.names.push(job.metadata.name);
        return made;
      },
      patch: async (_type: unknown, { name }: { name: string }) => this.byName.get(name),
      delete: async (_type: unknown, { name }: { name: string }, options: object) => {
        if (this.failing !== undefined) await fail(this.failing, 500)();
        this.deleted.push(options);
        this.byName.delete(name);
      },
    } as unknown as ProviderPorts['client'];
  }

  it('stay as long as the status shows their measurements, the last ten, and go by their uid', async () => {
    const jobs = new Jobs();
    await jobs.make(14);
    expect(jobs.left()).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(jobs.deleted).toMatchObject(['uid-1', 'uid-2', 'uid-3'].map((uid) => ({ uid })));
  });

  it('that could not be removed hold up no measurement, and go with the next one', async () => {
    const jobs = new Jobs();
    await jobs.make(11);
    jobs.failing = 'unavailable';
    for (const number of [12, 13]) expect(await jobs.measure(number)).toMatchObject({ pending: expect.any(String) });
    jobs.failing = undefined;
    await jobs.measure(14);
    expect(jobs.left()[0]).toBe(4);
  });

  it('of somebody else under such a name is left alone', async () => {
    const jobs = new Jobs();
    await jobs.make(11);
    Object.assign(jobs.byName.get(jobs.names[0]!)!.metadata, { ownerReferences: [{ uid: 'another' }] });
    await jobs.measure(12);
    expect([jobs.deleted, jobs.left()[0]]).toEqual([[], 1]);
  });
});
