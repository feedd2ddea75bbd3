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
