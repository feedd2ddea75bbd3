import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gateOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { apiError, type FakeCluster } from '../test/support/fake-cluster.ts';
import { anAttempt, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { GATES_AT_ONCE } from './lanes.ts';
import { NewGates } from './new-gates.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** An attempt that has created pods: nothing happens to them unless a test says so. */
class Stage {
  readonly scene = new PodScene();
  readonly attempt = anAttempt();
  /** Pods that were told of, as `lobby-a 103`. */
  readonly opened: string[] = [];
  readonly gates: NewGates;
  isFenceOpen = true;
  subscriptions = 0;

  constructor() {
    const { scene, attempt } = this;
    countSubscriptions(this);
    const fence = { isOpen: () => this.isFenceOpen && !attempt.signal.aborted };
    const tools = { client: scene.cluster, fence, nowMs: () => scene.nowMs };
    const opened = (pod: Pod) => this.opened.push(nameAndVersion(pod));
    const { ports, owner } = scene;
    this.gates = new NewGates({ ports, tools, signal: attempt.signal, owner: owner.uid, opened });
  }

  get cluster(): FakeCluster {
    return this.scene.cluster;
  }

  /** A pod as the answer to its POST shows it. */
  create(name = 'lobby-a'): Pod {
    const created = this.scene.adopt(aNewPod(name));
    this.gates.add(created);
    return created;
  }

  start(name = 'lobby-a'): Pod {
    return this.cluster.touch(name, (pod) => Object.assign(pod.status!, { phase: 'Running' }));
  }

  isGateOpen(name = 'lobby-a'): boolean {
    return gateOf(this.cluster.pod(name)!) === 'open';
  }

  isSettled(): Promise<boolean> {
    return Promise.race([this.gates.settled().then(() => true), vi.advanceTimersByTimeAsync(0).then(() => false)]);
  }
}

const aNewPod = (name: string, its: Partial<Pod['metadata']> = {}): Pod => {
  const pod = aPod('r2', name).build();
  return { ...pod, metadata: { ...pod.metadata, ...its }, status: { phase: 'Pending' } };
};

const nameAndVersion = ({ metadata }: Pod) => `${metadata.name} ${metadata.resourceVersion}`;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function countSubscriptions(stage: Stage): void {
  const { pods } = stage.cluster.stores;
  const subscribe = pods.subscribe.bind(pods);
  pods.subscribe = (...args) => {
    const unsubscribe = subscribe(...args);
    stage.subscriptions += 1;
    return () => {
      stage.subscriptions -= 1;
      unsubscribe();
    };
  };
}

describe('the gate of a new pod', () => {
  it('is opened when its containers have started, on that version and in one write', async () => {
    const stage = new Stage();
    stage.create();
    stage.cluster.touch('lobby-a', (pod) => Object.assign(pod.spec, { nodeName: 'node-1' }));
    await pass(1_000);
    expect(stage.cluster.requests).toEqual([]);
    stage.start();
    await stage.gates.settled();
    expect([stage.cluster.requests, stage.isGateOpen()]).toEqual([['patch pods lobby-a'], true]);
    expect(stage.opened).toEqual([nameAndVersion(stage.cluster.pod('lobby-a')!)]);
  });

  it.each<[string, (pod: Pod) => void]>([
    ['its kubelet has admitted it', (pod) => Object.assign(pod.status!, { containerStatuses: [] })],
    [
      'no node has room for it',
      (pod) => {
        delete pod.spec.nodeName;
        pod.status!.conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
      },
    ],
  ])('is opened all the same 1.5 s after the last change when %s', async (_sentence, change) => {
    const stage = new Stage();
    stage.create();
    await pass(2_000);
    stage.cluster.touch('lobby-a', change);
    await pass(1_400);
    expect(stage.cluster.requests).toEqual([]);
    await pass(200);
    expect([stage.cluster.requests, stage.isGateOpen()]).toEqual([['patch pods lobby-a'], true]);
  });

  it.each<[string, (pod: Pod) => void]>([
    ['its node does not take it on', () => undefined],
    ['it is not placed', (pod) => delete pod.spec.nodeName],
    ['it changes all the time', (pod) => Object.assign(pod.status!, { containerStatuses: [] })],
  ])('is opened after 5 s though %s', async (_sentence, change) => {
    const stage = new Stage();
    stage.create();
    for (let ms = 0; ms < 4_500; ms += 500) {
      expect(stage.isGateOpen()).toBe(false);
      stage.cluster.touch('lobby-a', change);
      await pass(500);
    }
    await pass(600);
    expect(stage.isGateOpen()).toBe(true);
  });

  it('is opened on the version of the POST where the watch is behind, and found to be newer', async () => {
    const stage = new Stage();
    stage.cluster.isHeldBack = true;
    stage.create();
    stage.start();
    await pass(5_100);
    expect(stage.cluster.requests).toEqual(['patch pods lobby-a', 'get pods lobby-a', 'patch pods lobby-a']);
    expect(stage.isGateOpen()).toBe(true);
  });

  it('is opened at once where the pod started before it was answered', async () => {
    const stage = new Stage();
    const created = stage.scene.adopt(aNewPod('lobby-a'));
    stage.start();
    stage.gates.add(created);
    await stage.gates.settled();
    expect(stage.cluster.requests).toEqual(['patch pods lobby-a']);
  });

  it.each<[string, (stage: Stage) => void]>([
    ['the pod is gone', ({ cluster }) => cluster.remove('pods', 'lobby-a')],
    [
      'the pod terminates',
      ({ cluster }) => cluster.touch('lobby-a', ({ metadata }) => Object.assign(metadata, { deletionTimestamp: 'x' })),
    ],
    [
      'its kubelet refused it',
      ({ cluster }) => cluster.touch('lobby-a', (pod) => Object.assign(pod.status!, { phase: 'Failed' })),
    ],
    [
      'an update has closed it',
      ({ cluster }) => {
        const conditions = [
          { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', message: 'r3' },
        ];
        cluster.touch('lobby-a', (pod) => Object.assign(pod.status!, { phase: 'Running', conditions }));
      },
    ],
  ])('stays as it is when %s, and nobody waits for it', async (_sentence, change) => {
    const stage = new Stage();
    stage.create();
    change(stage);
    await stage.gates.settled();
    expect([stage.cluster.requests, stage.opened]).toEqual([[], []]);
  });

  it('is left to others where the write is refused', async () => {
    const stage = new Stage();
    stage.cluster.fail({ verb: 'patch', error: apiError('forbidden') });
    stage.create();
    stage.start();
    await stage.gates.settled();
    expect([stage.isGateOpen(), stage.opened]).toEqual([false, []]);
  });
});

describe('an attempt that ends', () => {
  it('by being cancelled waits for no gate any more', async () => {
    const stage = new Stage();
    stage.create();
    stage.attempt.cancel();
    await stage.gates.settled();
    stage.start();
    await pass(10_000);
    expect(stage.cluster.requests).toEqual([]);
  });

  it('because its fence has closed is noticed soon', async () => {
    const stage = new Stage();
    stage.create();
    stage.isFenceOpen = false;
    await pass(100);
    expect(await stage.isSettled()).toBe(true);
    stage.create('lobby-b');
    expect([await stage.isSettled(), stage.cluster.requests]).toEqual([true, []]);
  });

  it('with a failure ends what is under way, and begins nothing', async () => {
    const stage = new Stage();
    for (let at = 0; at < 12; at += 1) stage.create(`lobby-${at}`);
    const { client } = stage.scene.ports;
    const patch = client.patch.bind(client);
    const answer = Promise.withResolvers<void>();
    client.patch = async (...args) => {
      await answer.promise;
      return await patch(...args);
    };
    for (let at = 0; at < 12; at += 1) stage.start(`lobby-${at}`);
    await pass(0);
    const closed = stage.gates.close();
    answer.resolve();
    await closed;
    expect([stage.opened.length, stage.cluster.requests.length]).toEqual([GATES_AT_ONCE, GATES_AT_ONCE]);
  });

  it.each<[string, (stage: Stage) => void]>([
    ['all gates are open', (stage) => stage.start()],
    ['it was cancelled', (stage) => stage.attempt.cancel()],
    ['gates still wait', () => undefined],
  ])('leaves no timer and no subscription behind: %s', async (_sentence, end) => {
    const stage = new Stage();
    stage.create();
    stage.create('lobby-b');
    expect([vi.getTimerCount(), stage.subscriptions]).toEqual([1, 1]);
    end(stage);
    await stage.gates.close();
    expect([vi.getTimerCount(), stage.subscriptions, stage.scene.ports.gatesInHand.size]).toEqual([0, 0, 0]);
  });

  it('has its gates in hand until then', async () => {
    const stage = new Stage();
    const { gatesInHand } = stage.scene.ports;
    const [first, second] = [stage.create(), stage.create('lobby-b')];
    expect(gatesInHand.size).toBe(2);
    stage.start();
    await pass(0);
    expect([first, second].map(({ metadata }) => gatesInHand.has(metadata.uid ?? ''))).toEqual([false, true]);
  });

  it('leaves what waits for a lane to the gate opener, and takes up nothing more', async () => {
    const stage = new Stage();
    const { lanes, gatesInHand } = stage.scene.ports;
    const busy = Promise.withResolvers<void>();
    for (let at = 0; at < GATES_AT_ONCE; at += 1) void lanes.gates(() => busy.promise);
    stage.create();
    stage.start();
    await stage.gates.close();
    stage.create('lobby-b');
    expect([gatesInHand.size, stage.subscriptions]).toEqual([0, 0]);
    busy.resolve();
    await pass(0);
    expect(stage.opened).toEqual([]);
  });

  it('without a new pod asks the store nothing', async () => {
    const stage = new Stage();
    await stage.gates.settled();
    await stage.gates.close();
    expect([vi.getTimerCount(), stage.subscriptions]).toEqual([0, 0]);
  });
});

it('the store awaits new pods while their gates wait, the latest for all of them: a watch that swallows them is found out', async () => {
  const stage = new Stage();
  const awaited = vi.spyOn(stage.cluster.stores.pods, 'whenReached');
  for (const at of ['9001', '9003', '9002']) stage.gates.add(aNewPod(`lobby-${at}`, { resourceVersion: at }));
  await pass(1_000);
  expect(awaited.mock.calls.map(([version]) => version)).toEqual(['9003']);
  await stage.gates.close();
});

it('200 gates are opened a few at a time', async () => {
  const stage = new Stage();
  const { client } = stage.scene.ports;
  const patch = client.patch.bind(client);
  let underWay = 0;
  let most = 0;
  client.patch = async (...args) => {
    most = Math.max(most, ++underWay);
    const patched = await patch(...args);
    underWay -= 1;
    return patched;
  };
  const names = Array.from({ length: 200 }, (_, at) => `lobby-${at}`);
  for (const name of names) stage.create(name);
  for (const name of names) stage.start(name);
  await stage.gates.settled();
  expect([most, names.filter((name) => stage.isGateOpen(name)).length]).toEqual([GATES_AT_ONCE, 200]);
});
