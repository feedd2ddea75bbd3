import { describe, expect, it } from 'vitest';
import type { GameDeployment } from '../crds/game-deployment.ts';
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
