/** Pods of a GameDeployment on a real apiserver: created, updated in place with evidence, deleted, refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateOpener } from '../../activities/gate-opener.ts';
import { releasePods } from '../../activities/release.ts';
import { newPod } from '../../core/new-pod.ts';
import { conditionOf, gateOf, isReady, revisionOf } from '../../core/pods.ts';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Devstack } from '../../devstack/stack.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { gameDeployments, pods } from '../../kubernetes/resource-types.ts';
import { eventually } from '../support/eventually.ts';
import { anAttempt } from '../support/pod-scene.ts';
import { Driver, type Engine, startClusterWithNodes, startEngine } from './pod-engine.ts';
import { createWorkload, NAMESPACE } from './workloads.ts';

let stack: Devstack;
let engine: Engine;

beforeAll(async () => {
  stack = await startClusterWithNodes();
  engine = await startEngine(stack.kubeconfig);
});

afterAll(async () => {
  await engine?.stop();
  await stack?.stop();
});

async function start(name: string, spec: Partial<GameDeploymentSpec> = {}): Promise<Driver> {
  await createWorkload(engine.client, name, spec);
  return new Driver(engine, name);
}

const imagesOf = (items: Pod[]) => items.map(({ spec }) => spec.containers[0]!.image);
const inPlace = { type: 'InplaceUpdate' as const, maxUnavailable: 2 };

const image = (name: string) => ({ spec: { containers: [{ name: 'game', image: name }] } });

describe('creating', () => {
  it('pods become ready with their gate open, two writes each', async () => {
    const driver = await start('created', { replicas: 3 });
    const seen = await driver.settle();
    expect(seen.counts).toMatchObject({ replicas: 3, available: 3, updated: 3 });
    const items = await driver.pods();
    expect(items.map((pod) => [gateOf(pod), isReady(pod)])).toEqual(Array(3).fill(['open', true]));
    expect(new Set(items.map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).size).toBe(1);
  });

  it('a quota refuses one pod: it is said, the others are made, and it is made once there is room', async () => {
    const quota = (count: string) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { 'count/pods': count } },
    });
    const existing = (await engine.client.list(pods, { namespace: NAMESPACE })).items.length;
    await stack.api('POST', `/api/v1/namespaces/${NAMESPACE}/resourcequotas`, quota(String(existing + 1)));
    await eventually('the quota is counted', async () => {
      const { body } = await stack.api('GET', `/api/v1/namespaces/${NAMESPACE}/resourcequotas/few`);
      return (body as { status?: { used?: object } }).status?.used;
    });
    const driver = await start('limited', { replicas: 2 });
    const seen = await driver.look();
    const result = await driver.move(seen);
    expect([result.done, result.unresolved.map(({ outcome }) => outcome)]).toEqual([1, ['refused']]);
    expect(result.refusal).toMatch(/^Creating pod limited-\w+ was refused: .*exceeded quota/);
    await stack.api('DELETE', `/api/v1/namespaces/${NAMESPACE}/resourcequotas/few`);
    expect((await driver.settle()).counts.available).toBe(2);
  });
});

describe('the gate opener', () => {
  it('makes a pod ready whose gate nobody opened', async () => {
    const driver = await start('forgotten', { replicas: 1 });
    const seen = await driver.look();
    const workload = await engine.client.get(gameDeployments, { namespace: NAMESPACE, name: 'forgotten' });
    const [create] = seen.moves;
    const revision = { name: driver.state.updateRevision, number: 1, template: workload.spec.template };
    await engine.client.create(pods, newPod(workload, revision, create!.pod));
    const opener = startGateOpener(engine.ports);
    try {
      await eventually('the pod is ready', async () => (await driver.pods()).every(isReady));
    } finally {
      await opener.stop();
    }
  });
});

describe('updating in place', () => {
  it('changes the image of the same pods and opens their gates on evidence', async () => {
    const driver = await start('in-place', { replicas: 3, updateStrategy: inPlace });
    await driver.settle();
    const before = await driver.pods();
    await driver.edit({ template: image('game:2') });
    const seen = await driver.settle();
    const after = await driver.pods();
    expect(seen.counts).toMatchObject({ updated: 3, updatedAvailable: 3 });
    expect(imagesOf(after)).toEqual(['game:2', 'game:2', 'game:2']);
    expect(new Set(after.map(({ metadata }) => metadata.uid))).toEqual(
      new Set(before.map(({ metadata }) => metadata.uid)),
    );
    expect(after.map(({ status }) => status!.containerStatuses![0]!.restartCount)).toEqual([1, 1, 1]);
    expect(after.map(gateOf)).toEqual(['open', 'open', 'open']);
  });

  it('waits for its grace with the gate closed and the old image', async () => {
    const inPlaceUpdateStrategy = { gracePeriodSeconds: 2 };
    const driver = await start('graceful', { replicas: 1, updateStrategy: { ...inPlace, inPlaceUpdateStrategy } });
    await driver.settle();
    const old = revisionOf((await driver.pods())[0]!);
    await driver.edit({ template: image('game:2') });
    const seen = await driver.look();
    expect(seen.moves.map((move) => move.act)).toEqual(['close-gate']);
    await driver.move(seen);
    const [pod] = await driver.pods();
    expect([gateOf(pod!), revisionOf(pod!), imagesOf([pod!])]).toEqual(['closed', old, ['game:1']]);
    expect(conditionOf(pod!, 'InPlaceUpdateReady')?.message).toBe(driver.state.updateRevision);
    await driver.settle();
    expect(imagesOf(await driver.pods())).toEqual(['game:2']);
  });

  it('a broken image stops itself at the budget, and a good one afterwards passes', async () => {
    const driver = await start('broken', { replicas: 4, updateStrategy: { ...inPlace, maxUnavailable: 1 } });
    await driver.settle();
    await driver.edit({ template: image('game:404') });
    await driver.move(await driver.look());
    const images = imagesOf(await driver.pods());
    expect(images.filter((image) => image === 'game:404')).toHaveLength(1);
    await driver.edit({ template: image('game:3') });
    await driver.settle();
    expect(new Set(imagesOf(await driver.pods()))).toEqual(new Set(['game:3']));
  });
});

describe('deleting', () => {
  it('scales in, and out again under new names', async () => {
    const driver = await start('scaled', { replicas: 3 });
    await driver.settle();
    const before = new Set((await driver.pods()).map(({ metadata }) => metadata.name));
    await driver.edit({ replicas: 1 });
    await driver.settle();
    await eventually('one pod is left', async () => (await driver.pods()).length === 1);
    await driver.edit({ replicas: 2 });
    await driver.settle();
    const names = (await driver.pods()).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !before.has(name))).toHaveLength(1);
  });

  it('a pod that somebody changed after the plan is not deleted', async () => {
    const driver = await start('guarded', { replicas: 1 });
    await driver.settle();
    await driver.edit({ replicas: 0 });
    const seen = await driver.look();
    expect(seen.moves.map((move) => move.act)).toEqual(['delete']);
    const [pod] = await driver.pods();
    await engine.client.patch(pods, pod!.metadata, mergePatch({}, { metadata: { labels: { touched: 'yes' } } }));
    expect(await driver.move(seen)).toMatchObject({ done: 0, moved: 1, unresolved: [] });
    expect(await driver.pods()).toHaveLength(1);
  });

  it('heals what others delete, and what was evicted', async () => {
    const driver = await start('healed', { replicas: 2 });
    await driver.settle();
    const [first, second] = await driver.pods();
    await engine.client.delete(pods, first!.metadata);
    await engine.client.patch(
      pods,
      second!.metadata,
      mergePatch({}, { metadata: { annotations: { 'holdfast.dev/kwok-fail': 'true' } } }),
    );
    await eventually('the pod has failed', async () => {
      const failed = (await driver.pods()).find(({ metadata }) => metadata.name === second!.metadata.name);
      return failed?.status?.phase === 'Failed';
    });
    expect((await driver.settle()).counts.available).toBe(2);
    const names = (await driver.pods()).map(({ metadata }) => metadata.name);
    expect(names).not.toContain(first!.metadata.name);
    expect(names).not.toContain(second!.metadata.name);
  });

  it('a rolling update keeps the budget at every look', async () => {
    const driver = await start('rolling', { replicas: 4, updateStrategy: { maxUnavailable: 1 } });
    await driver.settle();
    await driver.edit({ template: image('game:2') });
    await driver.settle();
    expect(imagesOf(await driver.pods())).toEqual(Array(4).fill('game:2'));
  });
});

describe('a workload that goes', () => {
  it('and leaves its pods behind leaves them without marks and with open gates', async () => {
    const inPlaceUpdateStrategy = { gracePeriodSeconds: 600 };
    const driver = await start('orphaned', { replicas: 2, updateStrategy: { ...inPlace, inPlaceUpdateStrategy } });
    const { uid } = await driver.settle();
    await driver.edit({ template: image('game:2') });
    await driver.move(await driver.look());
    expect((await driver.pods()).map(gateOf)).toEqual(['closed', 'closed']);
    const ref = { namespace: NAMESPACE, name: 'orphaned' };
    await engine.client.delete(gameDeployments, ref, { propagationPolicy: 'Orphan' });
    await eventually('the object is gone', async () => (await driver.look()).gone);
    const key = { kind: 'GameDeployment' as const, ...ref };
    const recorder = { record: () => undefined };
    await releasePods({ ...engine.ports, recorder }, { key, uid }, anAttempt());
    const items = await driver.pods();
    expect(items.map((pod) => [gateOf(pod), imagesOf([pod])])).toEqual(Array(2).fill(['open', ['game:1']]));
    await eventually('they are ready', async () => (await driver.pods()).every(isReady));
  });

  it('is gone after a quorum GET only, and its successor is another one', async () => {
    const driver = await start('gone', { replicas: 0 });
    await driver.look();
    await engine.client.delete(gameDeployments, { namespace: NAMESPACE, name: 'gone' });
    driver.state.needsQuorum = true;
    expect((await driver.look()).gone).toBe(true);
    await createWorkload(engine.client, 'gone', { replicas: 1 });
    expect(await driver.look()).toMatchObject({ gone: false, moves: [] });
  });
});
