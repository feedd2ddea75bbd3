import { describe, expect, it } from 'vitest';
import type { PodTemplateSpec } from '../crds/kubernetes.ts';
import { equalTemplates } from './normalise.ts';
import { pullPolicyOf } from './pod-defaults.ts';

type Loose = Record<string, unknown>;

/** A template with one container; `container`, `pod` and `metadata` are merged in. */
const template = (container: Loose = {}, pod: Loose = {}, metadata: Loose = {}): PodTemplateSpec =>
  ({
    metadata: { labels: { app: 'lobby' }, ...metadata },
    spec: { containers: [{ name: 'game', image: 'game:1', ...container }], ...pod },
  }) as PodTemplateSpec;

const volume = (source: Loose) => template({}, { volumes: [{ name: 'v', ...source }] });

type Pair = [string, PodTemplateSpec, PodTemplateSpec];

const EQUAL: Pair[] = [
  ['nulls are absent', template({ command: null }, {}, { creationTimestamp: null }), template()],
  ['a $patch directive is absent', { ...template(), $patch: 'replace' } as PodTemplateSpec, template()],
  ['empty resources are absent', template({ resources: {} }), template()],
  ['resources without amounts are absent', template({ resources: { limits: {}, requests: {} } }), template()],
  ['an empty list is absent', template({ args: [], env: [] }, { tolerations: [] }), template()],
  ['an empty text is absent', template({ env: [{ name: 'A', value: '' }] }), template({ env: [{ name: 'A' }] })],
  ['false in a field of two states is absent', template({ tty: false }, { hostNetwork: false }), template()],
  [
    'quantities have many spellings',
    template({ resources: { limits: { cpu: 1, memory: '1Gi' } } }),
    template({ resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }),
  ],
  [
    'a limit is its own request',
    template({ resources: { limits: { cpu: '1' } } }),
    template({ resources: { limits: { cpu: '1' }, requests: { cpu: '1000m' } } }),
  ],
  [
    'the defaults of a pod',
    template(
      {},
      {
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        terminationGracePeriodSeconds: 30,
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    ),
    template(),
  ],
  [
    'the defaults of a container',
    template({
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    }),
    template(),
  ],
  [
    'the protocol of a port',
    template({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
    template({ ports: [{ containerPort: 80 }] }),
  ],
  [
    'the defaults of a probe',
    template({
      readinessProbe: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
        initialDelaySeconds: 0,
      },
    }),
    template({ readinessProbe: { httpGet: { port: 80 } } }),
  ],
  [
    'the version of a field reference',
    template({ env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }] }),
    template({ env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }),
  ],
  ['a volume without a source is an empty directory', volume({}), volume({ emptyDir: {} })],
  [
    'the mode of a secret volume',
    volume({ secret: { secretName: 's' } }),
    volume({ secret: { secretName: 's', defaultMode: 420 } }),
  ],
  ['the type of a host path', volume({ hostPath: { path: '/x' } }), volume({ hostPath: { path: '/x', type: '' } })],
  [
    'the lifetime of a projected token',
    volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
    volume({
      projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] },
    }),
  ],
  [
    'the old name of the service account',
    template({}, { serviceAccount: 'sa', serviceAccountName: 'sa' }),
    template({}, { serviceAccountName: 'sa' }),
  ],
  [
    'a container port on the host network (peers 1)',
    template({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }),
    template({ ports: [{ containerPort: 80, hostPort: 80 }] }, { hostNetwork: true }),
  ],
  ['no metadata at all', { spec: template().spec }, { metadata: {}, spec: template().spec }],
  [
    'init containers have the same defaults',
    template({}, { initContainers: [{ name: 'i', image: 'i', imagePullPolicy: 'Always', resources: {} }] }),
    template({}, { initContainers: [{ name: 'i', image: 'i' }] }),
  ],
];

const DIFFERENT: Pair[] = [
  ['another image', template({ image: 'game:2' }), template()],
  ['another label', template({}, {}, { labels: { app: 'other' } }), template()],
  ['an empty annotation value', template({}, {}, { annotations: { a: '' } }), template()],
  ['an empty object that means something', template({ securityContext: {} }), template()],
  ['an empty directory beside a sized one', volume({ emptyDir: {} }), volume({ emptyDir: { sizeLimit: '1Gi' } })],
  ['a third state that is false', template({}, { automountServiceAccountToken: false }), template()],
  ['a third state that is zero', template({ securityContext: { runAsUser: 0 } }), template({ securityContext: {} })],
  ['no grace at all', template({}, { terminationGracePeriodSeconds: 0 }), template()],
  [
    'the order of containers',
    template({}, { containers: [{ name: 'a' }, { name: 'b' }] }),
    template({}, { containers: [{ name: 'b' }, { name: 'a' }] }),
  ],
  ['a field that this release does not know', template({ futureField: true }), template()],
  ['the class of a claim that is empty', claim({ storageClassName: '' }), claim({})],
];

describe('equal templates', () => {
  it.each(EQUAL)('%s', (_name, left, right) => {
    expect(equalTemplates(left, right)).toBe(true);
    expect(equalTemplates(right, left)).toBe(true);
  });

  it.each(DIFFERENT)('differ by %s', (_name, left, right) => {
    expect(equalTemplates(left, right)).toBe(false);
  });
});

function claim(spec: Loose): PodTemplateSpec {
  return volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], ...spec } } } });
}

describe('pullPolicyOf', () => {
  it.each([
    ['game', 'Always'],
    ['game:latest', 'Always'],
    ['game:1', 'IfNotPresent'],
    ['host:5000/game', 'Always'],
    ['host:5000/game:1', 'IfNotPresent'],
    ['game@sha256:00', 'IfNotPresent'],
    ['game:latest@sha256:00', 'Always'],
  ])('%s is pulled %s', (image, policy) => {
    expect(pullPolicyOf(image)).toBe(policy);
  });
});
