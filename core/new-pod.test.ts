import { describe, expect, it } from 'vitest';
import type { GameDeployment } from '../crds/game-deployment.ts';
import { aSet } from '../test/support/sets.ts';
import { newClaim } from './claims.ts';
import { newPod } from './new-pod.ts';
import type { Revision } from './plan/types.ts';

const workload = (disableReadinessGate?: boolean): GameDeployment => ({
  apiVersion: 'tkex.tencent.com/v1alpha1',
  kind: 'GameDeployment',
  metadata: { name: 'lobby', namespace: 'games', uid: 'w-1' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'lobby' } },
    template: { spec: { containers: [] } },
    disableReadinessGate,
  },
});

const revision = (readinessGates?: { conditionType: string }[]): Revision => ({
  name: 'lobby-5f6',
  number: 3,
  template: {
    metadata: { labels: { app: 'lobby' }, annotations: { team: 'a' }, finalizers: ['example.com/hold'] },
    spec: { containers: [{ name: 'game', image: 'game:1' }], readinessGates, priorityClassName: 'high' },
  },
});

describe('newPod', () => {
  it('carries the template, the revision, the instance id and the owner', () => {
    const pod = newPod(workload(), revision(), 'lobby-x7k2p');
    expect(pod.metadata).toEqual({
      name: 'lobby-x7k2p',
      namespace: 'games',
      labels: {
        app: 'lobby',
        'controller-revision-hash': 'lobby-5f6',
        'tkex.bkbcs.tencent.com/gamedeployment-instance-id': 'x7k2p',
      },
      annotations: { team: 'a' },
      finalizers: ['example.com/hold'],
      ownerReferences: [
        {
          apiVersion: 'tkex.tencent.com/v1alpha1',
          kind: 'GameDeployment',
          name: 'lobby',
          uid: 'w-1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(pod.spec.priorityClassName).toBe('high');
  });

  it.each([
    ['a pod gets our gate', undefined, undefined, ['InPlaceUpdateReady']],
    ['gates of the user are kept', undefined, ['example.com/ready'], ['example.com/ready', 'InPlaceUpdateReady']],
    ['a gate that is there already is not added twice', undefined, ['InPlaceUpdateReady'], ['InPlaceUpdateReady']],
    ['disableReadinessGate leaves our gate out', true, ['example.com/ready'], ['example.com/ready']],
  ])('%s', (_sentence, disabled, given, wanted) => {
    const gates = given?.map((conditionType) => ({ conditionType }));
    const pod = newPod(workload(disabled), revision(gates), 'lobby-a');
    expect(pod.spec.readinessGates?.map((gate) => gate.conditionType)).toEqual(wanted);
  });

  it('does not share objects with the template', () => {
    const source = revision();
    newPod(workload(), source, 'lobby-a').spec.containers[0]!.image = 'changed';
    expect(source.template.spec.containers[0]!.image).toBe('game:1');
  });
});

describe('newPod of a GameStatefulSet', () => {
  const volumes = [
    { name: 'config', configMap: { name: 'game' } },
    { name: 'data', emptyDir: {} },
  ];
  const spec = {
    serviceName: 'lobby-dns',
    volumeClaimTemplates: [{ metadata: { name: 'data', labels: { tier: 'fast' } }, spec: { storageClassName: 'ssd' } }],
  };
  const set = aSet(spec);
  const template = (): Revision => ({
    name: 'lobby-5f6',
    number: 3,
    template: { spec: { containers: [{ name: 'game', image: 'game:1' }], volumes, hostname: 'other' } },
  });

  it('has its identity in labels, a name under the service, and an owner of its kind (in-place-peers 32)', () => {
    const pod = newPod(set, template(), 'lobby-12');
    expect(pod.metadata.labels).toEqual({
      'controller-revision-hash': 'lobby-5f6',
      'gamestatefulset.kubernetes.io/pod-name': 'lobby-12',
      'gamestatefulset.kubernetes.io/pod-ordinal': '12',
    });
    expect([pod.spec.hostname, pod.spec.subdomain]).toEqual(['lobby-12', 'lobby-dns']);
    expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'GameStatefulSet', name: 'lobby', controller: true }]);
  });

  it('mounts its own claims, also where the template has a volume of that name', () => {
    expect(newPod(set, template(), 'lobby-0').spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-lobby-0' } },
      volumes[0],
    ]);
    expect(newPod(aSet({ serviceName: '' }), revision(), 'lobby-0').spec).not.toHaveProperty('volumes');
  });

  it('a long name loses the end of its set, never its ordinal, and a host name has no dots', () => {
    const long = { ...set, metadata: { ...set.metadata, name: `arena.eu-${'x'.repeat(70)}` } };
    const pod = newPod(long, template(), `${long.metadata.name}-12`);
    expect(pod.spec.hostname).toMatch(/^arena-eu-x{51}-12$/);
    expect(pod.metadata.labels?.['gamestatefulset.kubernetes.io/pod-name']).toMatch(/^arena\.eu-x{51}-12$/);
  });

  it('its claims carry the labels of their template and of the selector, and belong to nobody', () => {
    expect(newClaim(set, 'lobby-0', 'data-lobby-0')).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-lobby-0', namespace: 'default', labels: { tier: 'fast', app: 'lobby' }, annotations: {} },
      spec: { storageClassName: 'ssd' },
    });
    expect(newClaim(set, 'lobby-0', 'other-lobby-0')).toBeUndefined();
  });
});
