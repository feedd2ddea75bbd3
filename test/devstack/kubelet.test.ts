/** kwok with our stages behaves as a kubelet does, judged through a real apiserver. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resumeNode, stopNode } from '../../devstack/nodes.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { waitFor } from '../../devstack/wait.ts';
import {
  condition,
  container,
  createPod,
  deletePod,
  isReady,
  type Pod,
  patchPod,
  readHistory,
  readPod,
  setGate,
  setImage,
  waitForPod,
  waitUntilGone,
} from './pods.ts';

let stack: Devstack;

beforeAll(async () => {
  stack = await startDevstack({
    nodes: 2,
    components: ['kube-controller-manager', 'kube-scheduler', 'kwok'],
    log: console.error,
  });
});
afterAll(() => stack?.stop());

const createReadyPod = async (name: string, options?: Parameters<typeof createPod>[2]): Promise<Pod> => {
  await createPod(stack, name, options);
  return waitForPod(stack, name, 'readiness', isReady);
};
const waitingReason = (pod: Pod, name: string) => container(pod, name).state.waiting?.reason;

describe('a new pod', () => {
  test('is scheduled, gets addresses and reports each container as running', async () => {
    const pod = await createReadyPod('plain', { images: ['game:1', 'registry:5000/team/side:2'] });
    expect(pod.spec.nodeName).toMatch(/^node-\d$/);
    expect(pod.status).toMatchObject({ phase: 'Running', observedGeneration: pod.metadata.generation });
    expect(pod.status.podIP).toMatch(/^10\.244\./);
    expect(pod.status.hostIP).toMatch(/^10\.96\./);
    for (const name of ['c0', 'c1']) {
      expect(container(pod, name)).toMatchObject({ restartCount: 0, ready: true, started: true });
      expect(container(pod, name).containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
      expect(container(pod, name).state.running).toBeDefined();
    }
    expect(container(pod, 'c1').imageID).toMatch(/^registry:5000\/team\/side@sha256:[0-9a-f]{64}$/);
    expect(condition(pod, 'ContainersReady')).not.toHaveProperty('reason');
  });

  test('is first seen with its containers being created', async () => {
    await createReadyPod('first-seen');
    const history = readHistory(stack, 'first-seen');
    const admitted = history.find((pod) => pod.status.containerStatuses !== undefined);
    expect(admitted?.status.phase).toBe('Pending');
    expect(admitted && waitingReason(admitted, 'c0')).toBe('ContainerCreating');
  });

  test('takes as long to start and to be ready as its annotations say', async () => {
    const annotations = { 'holdfast.dev/kwok-start-delay': '1100', 'holdfast.dev/kwok-ready-delay': '1.1s' };
    const pod = await createReadyPod('slow', { annotations });
    const started = container(pod, 'c0').state.running?.startedAt;
    const history = readHistory(stack, 'slow').map((version) => version.status.containerStatuses?.[0]);
    expect(seconds(pod.status.startTime, started)).toBeGreaterThanOrEqual(1);
    expect(seconds(started, condition(pod, 'Ready')?.lastTransitionTime)).toBeGreaterThanOrEqual(1);
    expect(history.some((status) => status?.state.running && status.started && !status.ready)).toBe(true);
  });
});

describe('readiness gates', () => {
  test('hold Ready back until every gate is True, and nobody but their owner sets them', async () => {
    await createPod(stack, 'gated', { gates: ['example.com/a', 'example.com/b'] });
    const waiting = await waitForPod(
      stack,
      'gated',
      'ContainersReady',
      (pod) => condition(pod, 'ContainersReady')?.status === 'True',
    );
    expect(condition(waiting, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(condition(waiting, 'example.com/a')).toBeUndefined();
    await setGate(stack, 'gated', 'example.com/a', 'True');
    await setGate(stack, 'gated', 'example.com/b', 'True');
    await waitForPod(stack, 'gated', 'readiness', isReady);
    expect(readHistory(stack, 'gated').filter(isReady).every(hasBothGates)).toBe(true);
  });

  test('turn Ready with them, with the time of the turn, and leave the containers alone', async () => {
    await createPod(stack, 'turning', { gates: ['example.com/a'] });
    await setGate(stack, 'turning', 'example.com/a', 'True');
    const before = await waitForPod(stack, 'turning', 'readiness', isReady);
    await setGate(stack, 'turning', 'example.com/a', 'False');
    const closed = await waitForPod(stack, 'turning', 'end of readiness', (pod) => !isReady(pod));
    expect(condition(closed, 'ContainersReady')?.status).toBe('True');
    await setGate(stack, 'turning', 'example.com/a', 'True');
    const after = await waitForPod(stack, 'turning', 'readiness again', isReady);
    const since = (pod: Pod) => condition(pod, 'Ready')?.lastTransitionTime;
    expect(seconds(since(before), since(closed))).toBeGreaterThanOrEqual(0);
    expect(seconds(since(closed), since(after))).toBeGreaterThanOrEqual(0);
    expect(condition(after, 'ContainersReady')?.lastTransitionTime).toBe(
      condition(before, 'ContainersReady')?.lastTransitionTime,
    );
    expect(after.status.containerStatuses).toEqual(before.status.containerStatuses);
  });
});

describe('an image change', () => {
  test('restarts just that container', async () => {
    const before = await createReadyPod('restarting', { images: ['game:1', 'side:1'] });
    await setImage(stack, 'restarting', 'c0', 'game:2');
    const after = await waitForPod(
      stack,
      'restarting',
      'restart',
      (pod) => isReady(pod) && container(pod, 'c0').image === 'game:2',
    );
    expect(container(after, 'c0').restartCount).toBe(1);
    expect(container(after, 'c0').containerID).not.toBe(container(before, 'c0').containerID);
    expect(container(after, 'c0').imageID).not.toBe(container(before, 'c0').imageID);
    expect(container(after, 'c1')).toEqual(container(before, 'c1'));
    expect(after.status.observedGeneration).toBe(before.metadata.generation + 1);
    const versions = readHistory(stack, 'restarting').filter((pod) => pod.metadata.generation > 1);
    expect(versions.some((pod) => !container(pod, 'c0').ready && !isReady(pod) && container(pod, 'c1').ready)).toBe(
      true,
    );
  });

  test('takes as long as the annotation of the pod says', async () => {
    await createReadyPod('slow-restart', { annotations: { 'holdfast.dev/kwok-restart-delay': '1500ms' } });
    await setImage(stack, 'slow-restart', 'c0', 'game:2');
    const stopped = await waitForPod(stack, 'slow-restart', 'stop', (pod) => !isReady(pod));
    const after = await waitForPod(stack, 'slow-restart', 'restart', isReady);
    expect(
      seconds(condition(stopped, 'Ready')?.lastTransitionTime, container(after, 'c0').state.running?.startedAt),
    ).toBeGreaterThanOrEqual(1);
  });

  test('two containers at once each restart once', async () => {
    await createReadyPod('both', { images: ['game:1', 'side:1'] });
    await patchPod(stack, 'both', {
      spec: {
        containers: [
          { name: 'c0', image: 'game:2' },
          { name: 'c1', image: 'side:2' },
        ],
      },
    });
    const isDone = (pod: Pod) => isReady(pod) && container(pod, 'c0').image === 'game:2';
    const after = await waitForPod(stack, 'both', 'restart', isDone);
    expect(after.status.containerStatuses?.map((status) => status.restartCount)).toEqual([1, 1]);
  });

  test('raises observedGeneration even where no container is concerned', async () => {
    const before = await createReadyPod('observed');
    const tolerations = [{ key: 'example.com/any', operator: 'Exists' }];
    await patchPod(stack, 'observed', { spec: { tolerations } });
    const after = await waitForPod(
      stack,
      'observed',
      'observedGeneration',
      (pod) => pod.status.observedGeneration === before.metadata.generation + 1,
    );
    expect(container(after, 'c0')).toEqual(container(before, 'c0'));
  });
});

describe('an image that cannot be pulled', () => {
  test.each(['game:404', 'game:nonexistent'])('%s keeps a new pod waiting until it is corrected', async (image) => {
    const name = `unpullable-${image.split(':')[1]}`;
    await createPod(stack, name, { images: [image, 'side:1'] });
    await waitForPod(stack, name, 'back-off', (pod) => waitingReason(pod, 'c0') === 'ImagePullBackOff');
    const reasons = readHistory(stack, name).map((pod) => pod.status.containerStatuses && waitingReason(pod, 'c0'));
    expect(reasons).toContain('ErrImagePull');
    const waiting = await readPod(stack, name);
    expect(waiting?.status.phase).toBe('Pending');
    expect(waiting && container(waiting, 'c1').ready).toBe(true);
    await setImage(stack, name, 'c0', 'game:1');
    const corrected = await waitForPod(stack, name, 'readiness', isReady);
    expect(container(corrected, 'c0').restartCount).toBe(0);
  });

  test('stops a running container, which keeps its image, and leaves the other alone', async () => {
    const before = await createReadyPod('broken', { images: ['game:1', 'side:1'] });
    await setImage(stack, 'broken', 'c0', 'game:404');
    const broken = await waitForPod(stack, 'broken', 'failed pull', (pod) =>
      ['ErrImagePull', 'ImagePullBackOff'].includes(waitingReason(pod, 'c0') ?? ''),
    );
    expect(broken.status.phase).toBe('Running');
    expect(container(broken, 'c0')).toMatchObject({ image: 'game:1', imageID: container(before, 'c0').imageID });
    expect(container(broken, 'c0').restartCount).toBe(0);
    expect(condition(broken, 'ContainersReady')?.status).toBe('False');
    expect(container(broken, 'c1')).toEqual(container(before, 'c1'));
    await setImage(stack, 'broken', 'c0', 'game:1');
    const healed = await waitForPod(stack, 'broken', 'readiness', isReady);
    expect(container(healed, 'c0').restartCount).toBe(1);
  });
});

describe('an end', () => {
  test('a deleted pod is first not ready and then gone', async () => {
    await createReadyPod('deleted');
    await deletePod(stack, 'deleted', 30);
    await waitUntilGone(stack, 'deleted');
    const last = readHistory(stack, 'deleted').filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    expect(last.some((pod) => !isReady(pod) && pod.status.phase === 'Succeeded')).toBe(true);
  });

  test('a pod deleted without grace is gone at once', async () => {
    await createReadyPod('removed');
    await deletePod(stack, 'removed', 0);
    expect(await readPod(stack, 'removed')).toBeUndefined();
  });

  test('a finalizer keeps a pod whose containers have ended', async () => {
    await createReadyPod('kept', { finalizers: ['example.com/keep'] });
    await deletePod(stack, 'kept', 1);
    await waitForPod(stack, 'kept', 'end of its containers', (pod) => pod.status.phase === 'Succeeded');
    await patchPod(stack, 'kept', { metadata: { finalizers: null } });
    await waitUntilGone(stack, 'kept');
  });

  test('a pod marked to fail is evicted by its node', async () => {
    await createReadyPod('evicted');
    await patchPod(stack, 'evicted', { metadata: { annotations: { 'holdfast.dev/kwok-fail': 'true' } } });
    const failed = await waitForPod(stack, 'evicted', 'failure', (pod) => pod.status.phase === 'Failed');
    expect(failed.status.reason).toBe('Evicted');
    expect(isReady(failed)).toBe(false);
    expect(container(failed, 'c0').state.terminated?.exitCode).toBe(137);
  });
});

describe('a node', () => {
  test('without its kubelet changes no pod, and catches up when it is back', async () => {
    await createReadyPod('stranded', { nodeName: 'node-2' });
    await stopNode(stack.api, 'node-2');
    await waitForPod(stack, 'stranded', 'end of readiness', (pod) => !isReady(pod));
    await setImage(stack, 'stranded', 'c0', 'game:2');
    await createReadyPod('elsewhere', { nodeName: 'node-1' });
    const stranded = await readPod(stack, 'stranded');
    expect(stranded && container(stranded, 'c0').image).toBe('game:1');
    await resumeNode(stack.api, 'node-2');
    const isDone = (pod: Pod) => isReady(pod) && container(pod, 'c0').image === 'game:2';
    await waitForPod(stack, 'stranded', 'restart', isDone);
  });

  test('is not ready while its annotation says so', async () => {
    const annotate = (value: string | null) =>
      stack.api('PATCH', '/api/v1/nodes/node-2', {
        metadata: { annotations: { 'holdfast.dev/kwok-node-ready': value } },
      });
    await annotate('false');
    await waitForNodeReadiness('node-2', 'False');
    await annotate(null);
    await waitForNodeReadiness('node-2', 'True');
  });
});

function waitForNodeReadiness(name: string, wanted: string): Promise<true> {
  const check = async () => {
    const { body } = await stack.api('GET', `/api/v1/nodes/${name}`);
    const ready = condition(body as Pod, 'Ready')?.status;
    if (ready === wanted) return true as const;
    throw new Error(`Ready=${ready}`);
  };
  return waitFor(check, { what: `Ready=${wanted} of ${name}`, timeoutMs: 30_000 });
}

function hasBothGates(pod: Pod): boolean {
  return ['example.com/a', 'example.com/b'].every((gate) => condition(pod, gate)?.status === 'True');
}

function seconds(from: string | undefined, to: string | undefined): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;
}
