import { describe, expect, it } from 'vitest';
import type { GameDeployment, GameDeploymentSpec } from '../crds/game-deployment.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import { notImplemented } from './not-implemented.ts';

const make = (spec: Partial<GameDeploymentSpec> = {}, annotations?: Record<string, string>) =>
  ({
    kind: 'GameDeployment',
    metadata: { name: 'lobby', annotations },
    spec: { replicas: 1, ...spec },
  }) as GameDeployment;

const hook = { hook: { templateName: 'drain' } };

describe('notImplemented', () => {
  it.each<[string, GameDeployment]>([
    ['nothing but replicas', make()],
    ['a rolling update', make({ updateStrategy: { type: 'RollingUpdate' } })],
    [
      'an in-place update with grace',
      make({ updateStrategy: { type: 'InplaceUpdate', inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } } }),
    ],
    ['the default policy in words', make({ updateStrategy: { inPlaceUpdateStrategy: { policy: 'DisOrdered' } } })],
    ['a gate before deletion', make({ preDeleteUpdateStrategy: hook })],
    ['an empty list of pods to delete', make({ scaleStrategy: { podsToDelete: [], createBatch: '100%' } })],
    ['an index switched off', make({}, { 'tkex.bkbcs.tencent.com/gamedeployment-index-on': 'false' })],
    ['a gate without its hook', make({ preInplaceUpdateStrategy: { retry: false } })],
  ])('%s is done', (_name, workload) => {
    expect(notImplemented(workload)).toBeNull();
  });

  it.each<[string, GameDeployment | GameStatefulSet]>([
    ['kind', { ...make(), kind: 'GameStatefulSet' } as unknown as GameStatefulSet],
    ['spec.updateStrategy.type', make({ updateStrategy: { type: 'HotPatchUpdate' } })],
    ['spec.updateStrategy.type', make({ updateStrategy: { type: 'OnDelete' } })],
    [
      'spec.updateStrategy.inPlaceUpdateStrategy.policy',
      make({ updateStrategy: { inPlaceUpdateStrategy: { policy: 'OrderedReady' } } }),
    ],
    ['spec.preInplaceUpdateStrategy.hook', make({ preInplaceUpdateStrategy: hook })],
    ['spec.postInplaceUpdateStrategy.hook', make({ postInplaceUpdateStrategy: hook })],
    ['spec.scaleStrategy.podsToDelete', make({ scaleStrategy: { podsToDelete: ['lobby-abcde'] } })],
    ['spec.scaleStrategy.createBatch', make({ scaleStrategy: { createBatch: '50%' } })],
    [
      'metadata.annotations["tkex.bkbcs.tencent.com/gamedeployment-index-on"]',
      make({}, { 'tkex.bkbcs.tencent.com/gamedeployment-index-on': 'true' }),
    ],
    [
      'metadata.annotations["imageloader.webhook.bkbcs.tencent.com"]',
      make({}, { 'imageloader.webhook.bkbcs.tencent.com': '1' }),
    ],
  ])('%s is not', (path, workload) => {
    expect(notImplemented(workload)).toEqual({ path, message: expect.stringMatching(/^This version .*\.$/) });
  });
});
