import { describe, expect, test } from 'vitest';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { checkKinds, checkLeaderLocks, readClusterUid } from './cluster.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const error = (reason: ApiError['reason']) => new ApiError('it says no', { reason, sent: true });

/** An apiserver that has just these objects, by `plural/name`. */
const having = (objects: Record<string, object>, otherwise: ApiError['reason'] = 'notFound'): KubernetesClient =>
  ({
    get: async ({ plural }: { plural: string }, { name }: { name: string }) => {
      const found = objects[`${plural}/${name}`];
      if (found === undefined) throw error(otherwise);
      return found;
    },
  }) as unknown as KubernetesClient;

const lease = (renewTime: string, holderIdentity = 'pod-1') => ({
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});
const endpoints = (record: string) => ({
  metadata: { annotations: { 'control-plane.alpha.kubernetes.io/leader': record } },
});

describe("the existing operators' leader lock", () => {
  const free: Record<string, Record<string, object>> = {
    'none is there': {},
    'the lease is stale': { 'leases/gamedeployment-operator': lease(ago(16)) },
    'the lease was given back': { 'leases/gamedeployment-operator': lease(ago(1), '') },
    'the record of the endpoints is garbage': { 'endpoints/gamestatefulset-operator': endpoints('{') },
    'the endpoints hold no record': { 'endpoints/gamestatefulset-operator': { metadata: {} } },
  };
  test.each(Object.entries(free))('%s: it starts', async (_, objects) => {
    await checkLeaderLocks(having(objects), NOW);
  });

  test('what may not be read keeps nobody from starting', async () => {
    await checkLeaderLocks(having({}, 'forbidden'), NOW);
  });

  const held: Record<string, Record<string, object>> = {
    'a fresh lease': { 'leases/gamedeployment-operator': lease(ago(3)) },
    'a fresh record in endpoints': {
      'endpoints/gamestatefulset-operator': endpoints(JSON.stringify(lease(ago(3)).spec)),
    },
  };
  test.each(Object.entries(held))('%s: it refuses and names the holder', async (_, objects) => {
    await expect(checkLeaderLocks(having(objects), NOW)).rejects.toThrow(
      /is running .* held by pod-1.* stop it first$/,
    );
  });
});

test('missing CRDs are named, with what to do', async () => {
  const one = { 'customresourcedefinitions/hookruns.tkex.tencent.com': {} };
  await expect(checkKinds(having(one))).rejects.toThrow(
    'CRDs are missing (gamedeployments.tkex.tencent.com, gamestatefulsets.tkex.tencent.com, hooktemplates.tkex.tencent.com): run `holdfast install`',
  );
});

test('an apiserver that does not answer is one sentence', async () => {
  await expect(readClusterUid(having({}, 'network'))).rejects.toThrow(
    'The Kubernetes API server cannot be used: it says no',
  );
});
