import { describe, expect, it } from 'vitest';
import type { HookTemplate, HookTemplateSpec } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { podArguments, resolveArguments } from './arguments.ts';
import { buildHookRun } from './hook-run.ts';
import { canaryRunName, gateRunName } from './names.ts';

describe('arguments', () => {
  it('112: template a (no value), b=1; given a=x, c=y, PodName=p', () => {
    const declared = [{ name: 'a' }, { name: 'b', value: '1' }];
    const given = [
      { name: 'a', value: 'x' },
      { name: 'c', value: 'y' },
    ];
    expect(resolveArguments(declared, given, [{ name: 'PodName', value: 'p' }])).toEqual({
      resolved: true,
      args: [
        { name: 'a', value: 'x' },
        { name: 'b', value: '1' },
        { name: 'PodName', value: 'p' },
      ],
      dropped: ['c'],
    });
  });

  it('113: template a without a value, nothing given', () => {
    expect(resolveArguments([{ name: 'a' }], [])).toEqual({ resolved: false, unresolved: ['a'], dropped: [] });
  });

  it('an empty value is a value, and a fact of the pod wins', () => {
    const declared = [{ name: 'a' }, { name: 'PodIP' }];
    const given = [
      { name: 'a', value: '' },
      { name: 'PodIP', value: '1.1.1.1' },
    ];
    expect(resolveArguments(declared, given, [{ name: 'PodIP', value: '10.0.0.1' }])).toMatchObject({
      args: [
        { name: 'a', value: '' },
        { name: 'PodIP', value: '10.0.0.1' },
      ],
    });
  });

  it('47: the facts of a pod name each container; an address it does not have is left out', () => {
    const pod: Pod = {
      metadata: { name: 'p', namespace: 'ns' },
      spec: { containers: [{ name: 'game' }, { name: 'log' }] },
      status: { hostIP: '10.0.0.2' },
    };
    const facts = podArguments(pod, ['log']).map(({ name, value }) => `${name}=${value}`);
    expect(facts).toEqual([
      ...['PodName=p', 'PodNamespace=ns', 'HostIP=10.0.0.2'],
      ...['PodContainer[0]=game', 'PodContainer[1]=log', 'ModifiedContainer[0]=log'],
    ]);
  });
});

describe('names', () => {
  const canary = { updateRevision: 'lobby-6f7', stepIndex: 1, templateName: 'drain', attempt: 1 };
  const gate = { gate: 'predelete', podRevision: 'lobby-6f7', instanceId: 'x2k9p', templateName: 'drain' } as const;
  it('of a canary step, with the attempt from the second on', () => {
    expect(canaryRunName(canary)).toBe('canary-lobby-6f7-1-drain');
    expect(canaryRunName({ ...canary, attempt: 2 })).toBe('canary-lobby-6f7-1-drain-2');
  });
  it('of a gate, with the attempt', () => {
    expect(gateRunName({ ...gate, attempt: '812' })).toBe('predelete-lobby-6f7-x2k9p-drain-812');
  });
  it('too long: cut, still two names, still DNS', () => {
    const names = [1, 2].map((attempt) => gateRunName({ ...gate, templateName: 't'.repeat(253), attempt }));
    expect(names[0]).not.toBe(names[1]);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(253);
  });
});

describe('the HookRun of a template', () => {
  const template = (spec: Partial<HookTemplateSpec> = {}): HookTemplate => ({
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'HookTemplate',
    metadata: { name: 'drain', namespace: 'default' },
    spec: { metrics: [{ name: 'm', provider: { web: { url: 'http://{{ args.PodIP }}' } } }], ...spec },
  });
  const owner = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameDeployment',
    metadata: { name: 'lobby', namespace: 'default', uid: 'owner' },
  };

  it('of a gate carries labels that bind it to one pod and attempt', () => {
    const built = buildHookRun({
      template: template({ args: [{ name: 'PodIP' }], policy: 'Ordered', activeDeadlineSeconds: 60 }),
      step: { templateName: 'drain', args: [{ name: 'c', value: 'y' }], activeDeadlineSeconds: 5 },
      owner,
      purpose: { type: 'gate', gate: 'predelete', podRevision: 'r1', instanceId: 'abcde', podUid: 'u1', attempt: '7' },
      builtIns: [{ name: 'PodIP', value: '10.0.0.1' }],
    });
    expect(built).toEqual({
      dropped: ['c'],
      hookRun: {
        apiVersion: 'tkex.tencent.com/v1alpha1',
        kind: 'HookRun',
        metadata: {
          name: 'predelete-r1-abcde-drain-7',
          namespace: 'default',
          labels: {
            'hookrun-type': 'pre-delete-step',
            'workload-revision': 'r1',
            'instance-id': 'abcde',
            'holdfast.dev/pod-uid': 'u1',
            'holdfast.dev/attempt': '7',
          },
          annotations: { 'holdfast.dev/dropped-arguments': 'c' },
          ownerReferences: [
            {
              apiVersion: 'tkex.tencent.com/v1alpha1',
              kind: 'GameDeployment',
              name: 'lobby',
              uid: 'owner',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        spec: {
          metrics: [{ name: 'm', provider: { web: { url: 'http://{{ args.PodIP }}' } } }],
          args: [{ name: 'PodIP', value: '10.0.0.1' }],
          policy: 'Ordered',
          activeDeadlineSeconds: 5,
        },
      },
    });
  });

  it('of a canary step carries step and revision', () => {
    const purpose = { type: 'canary', revision: 'r2', stepIndex: 3, attempt: 2 } as const;
    const built = buildHookRun({ template: template(), step: { templateName: 'drain' }, owner, purpose });
    expect('hookRun' in built && built.hookRun.metadata.labels).toEqual({
      'hookrun-type': 'canary-step',
      'workload-revision': 'r2',
      'canary-step-index': '3',
      'holdfast.dev/attempt': '2',
    });
  });

  it('is not made while an argument is open', () => {
    const purpose = { type: 'canary', revision: 'r2', stepIndex: 3, attempt: 1 } as const;
    const open = template({ args: [{ name: 'PodIP' }, { name: 'room' }] });
    expect(buildHookRun({ template: open, step: { templateName: 'drain' }, owner, purpose })).toEqual({
      unresolved: ['PodIP', 'room'],
      message: 'HookTemplate drain: spec.args PodIP, room have no value.',
    });
  });

  it('of a canary step leaves out a declared fact of a pod that no metric asks for', () => {
    const purpose = { type: 'canary', revision: 'r2', stepIndex: 3, attempt: 1 } as const;
    const idle = template({ args: [{ name: 'PodName' }, { name: 'PodIP', value: '10.0.0.1' }] });
    const built = buildHookRun({ template: idle, step: { templateName: 'drain' }, owner, purpose });
    expect('hookRun' in built && built.hookRun.spec.args).toEqual([{ name: 'PodIP', value: '10.0.0.1' }]);
  });
});
