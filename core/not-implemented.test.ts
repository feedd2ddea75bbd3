import { describe, expect, it } from 'vitest';
import type { GameDeployment, GameDeploymentSpec } from '../crds/game-deployment.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import { notImplementedField, notImplementedHook } from './not-implemented.ts';

const make = (spec: Partial<GameDeploymentSpec> = {}, annotations?: Record<string, string>) =>
  ({
    kind: 'GameDeployment',
    metadata: { name: 'lobby', annotations },
    spec: { replicas: 1, ...spec },
  }) as GameDeployment;

const hook = { hook: { templateName: 'drain' } };

describe('notImplementedField', () => {
  it.each<[string, GameDeployment]>([
    ['nothing but replicas', make()],
    ['a rolling update', make({ updateStrategy: { type: 'RollingUpdate' } })],
    [
      'an in-place update with grace',
      make({ updateStrategy: { type: 'InplaceUpdate', inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } } }),
    ],
    ['containers in order', make({ updateStrategy: { inPlaceUpdateStrategy: { policy: 'OrderedReady' } } })],
    ['an update by those who delete pods', make({ updateStrategy: { type: 'OnDelete' } })],
    ['a hot patch', make({ updateStrategy: { type: 'HotPatchUpdate' } })],
    ['a gate before deletion', make({ preDeleteUpdateStrategy: hook })],
    [
      'pods to delete by name, pods created in batches',
      make({ scaleStrategy: { podsToDelete: ['lobby-abcde'], createBatch: '50%' } }),
    ],
    ['indexes', make({}, { 'tkex.bkbcs.tencent.com/gamedeployment-index-on': 'true' })],
    ['hooks around an update in place', make({ preInplaceUpdateStrategy: hook, postInplaceUpdateStrategy: hook })],
    ['a gate without its hook', make({ preInplaceUpdateStrategy: { retry: false } })],
  ])('%s is done', (_name, workload) => {
    expect(notImplementedField(workload)).toBeNull();
  });

  it.each<[string, GameDeployment]>([
    [
      'metadata.annotations["imageloader.webhook.bkbcs.tencent.com"]',
      make({}, { 'imageloader.webhook.bkbcs.tencent.com': '1' }),
    ],
  ])('%s is not', (path, workload) => {
    expect(notImplementedField(workload)).toEqual({ path, message: expect.stringMatching(/^This version .*\.$/) });
  });
});

describe('notImplementedHook', () => {
  const template = (provider: object) =>
    ({ metadata: { name: 'drain' }, spec: { metrics: [{ name: 'm', provider }] } }) as unknown as HookTemplate;
  const step = make({ updateStrategy: { canary: { steps: [{ partition: 1 }, hook] } } });
  const exec = { drain: template({ exec: { command: ['true'] } }) };

  it.each<[string, GameDeployment, Record<string, HookTemplate>]>([
    ['a template that is not there', step, {}],
    ['a web server', step, { drain: template({ web: { url: 'http://w' } }) }],
    ['Prometheus', step, { drain: template({ prometheus: { address: 'http://p', query: 'up' } }) }],
    ['an object of the cluster', step, { drain: template({ kubernetes: { function: 'get', fields: [] } }) }],
    ['a Job', step, { drain: template({ job: { spec: {} } }) }],
    ['no provider at all, which is another fault', step, { drain: template({}) }],
    ['a template that nobody uses', make(), exec],
  ])('%s is no matter', (_name, workload, templates) => {
    expect(notImplementedHook(workload, templates)).toBeNull();
  });

  it.each<[string, GameDeployment]>([
    ['spec.updateStrategy.canary.steps[1].hook', step],
    ['spec.preDeleteUpdateStrategy.hook', make({ preDeleteUpdateStrategy: hook })],
    ['spec.preInplaceUpdateStrategy.hook', make({ preInplaceUpdateStrategy: hook })],
    ['spec.postInplaceUpdateStrategy.hook', make({ postInplaceUpdateStrategy: hook })],
  ])('%s is named with the provider', (path, workload) => {
    const found = notImplementedHook(workload, exec);
    expect(found?.path).toBe(path);
    expect(found?.message).toContain('HookTemplate drain has spec.metrics[0].provider.exec');
  });
});
