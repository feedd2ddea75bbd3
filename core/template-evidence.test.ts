import { describe, expect, it } from 'vitest';
import type { Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import { aPod, aWorkload, templateOf } from '../test/support/pods.ts';
import { aSet, aSetPod } from '../test/support/sets.ts';
import { newPod } from './new-pod.ts';
import { isContradicted, isProven } from './template-evidence.ts';

const RICH: PodTemplateSpec = {
  metadata: { labels: { app: 'lobby' }, annotations: { team: 'red' } },
  spec: {
    containers: [
      {
        ...{ name: 'game', image: 'game:r2', args: ['--port', '7000'] },
        ports: [{ containerPort: 7000 }],
        env: [{ name: 'MODE', value: 'ranked' }],
        resources: { requests: { cpu: '500m' } },
      },
    ],
  },
};

/** A pod as the API would have stored it: with defaults, a token, a node, an index and what admission adds. */
function stored(template: PodTemplateSpec, change: (pod: Pod) => void = () => undefined): Pod {
  const workload = aWorkload({ template });
  const pod = structuredClone(newPod(workload, { name: 'lost', number: 1, template }, 'lobby-a'));
  Object.assign(pod.spec, { nodeName: 'node-1', dnsPolicy: 'ClusterFirst', enableServiceLinks: true });
  pod.spec.volumes = [{ name: 'kube-api-access-x7f2p', projected: {} }];
  const [game] = pod.spec.containers;
  Object.assign(game!, { imagePullPolicy: 'IfNotPresent', volumeMounts: [{ name: 'kube-api-access-x7f2p' }] });
  game!.env = [{ name: 'POD_INDEX', value: '3' }, ...((game!.env as object[]) ?? [])];
  change(pod);
  return pod;
}

const game = (pod: Pod) => pod.spec.containers[0]! as unknown as Record<string, unknown>;

describe('a pod contradicts the template', () => {
  const contradicts = (pod: Pod, template = RICH) =>
    isContradicted(aWorkload({ template }), { name: 'r2', number: 2, template }, pod);

  it.each<[string, (pod: Pod) => void, boolean]>([
    ['not as the API stores it', () => undefined, false],
    ['by another image', (pod) => Object.assign(game(pod), { image: 'game:r1' }), true],
    ['by other arguments', (pod) => Object.assign(game(pod), { args: ['--port'] }), true],
    [
      'by another value of a variable',
      (pod) => Object.assign(game(pod), { env: [{ name: 'MODE', value: 'x' }] }),
      true,
    ],
    ['by a container that is not there', (pod) => Object.assign(pod.spec, { containers: [] }), true],
    ['by an annotation, such as one that asks for a restart', (pod) => (pod.metadata.annotations = {}), true],
    ['not by a container that something added', (pod) => pod.spec.containers.push({ name: 'mesh', image: 'm' }), false],
    ['not by a variable more', (pod) => (game(pod).env as object[]).push({ name: 'X', value: '1' }), false],
    ['not by another spelling', (pod) => Object.assign(game(pod), { resources: { requests: { cpu: '0.5' } } }), false],
    [
      'not by a default that admission changed',
      (pod) => Object.assign(game(pod), { imagePullPolicy: 'Always' }),
      false,
    ],
    ['not by a gate that is asked for since', (pod) => Object.assign(pod.spec, { readinessGates: [] }), false],
  ])('%s', (_how, change, want) => {
    expect(contradicts(stored(RICH, change))).toBe(want);
  });
});

describe('a pod is proven to run the template', () => {
  const workload = aWorkload({ template: RICH });
  const example = stored(RICH, (pod) => {
    Object.assign(pod.spec, { nodeName: undefined, volumes: [{ name: 'kube-api-access-other', projected: {} }] });
    Object.assign(game(pod), { volumeMounts: [{ name: 'kube-api-access-other' }] });
  });

  it.each<[string, (pod: Pod) => void, boolean]>([
    ['where the API would make the same one', () => undefined, true],
    ['also where defaults are written out', (pod) => Object.assign(pod.spec, { restartPolicy: 'Always' }), true],
    ['not where something was added', (pod) => pod.spec.containers.push({ name: 'mesh', image: 'm' }), false],
    ['not with another image', (pod) => Object.assign(game(pod), { image: 'game:r1' }), false],
    ['not without an annotation of the template', (pod) => (pod.metadata.annotations = {}), false],
  ])('%s', (_where, change, want) => {
    expect(isProven(workload, example, stored(RICH, change))).toBe(want);
  });

  it('whichever of the pods of a set it is, each with claims and a host name of its own', () => {
    const set = aSet({ serviceName: 'lobby', volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] });
    const podOf = (ordinal: number) =>
      newPod(set, { name: 'r2', number: 2, template: set.spec.template }, `lobby-${ordinal}`);
    expect(isProven(set, podOf(4), podOf(0))).toBe(true);
    expect(isProven(set, podOf(4), aSetPod(0, 'r2').build())).toBe(false);
  });
});

it('a template with fewer fields than the pod proves nothing either way', () => {
  const template = templateOf('game:r2');
  const workload = aWorkload({ template });
  const pod = aPod('r2', 'lobby-a')
    .with(({ spec }) => spec.containers.push({ name: 'mesh', image: 'm' }))
    .build();
  const example = newPod(workload, { name: 'r2', number: 2, template }, 'lobby-x');
  expect([
    isContradicted(workload, { name: 'r2', number: 2, template }, pod),
    isProven(workload, example, pod),
  ]).toEqual([false, false]);
});
