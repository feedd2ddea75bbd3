/** Moves through the fault proxy: what was not answered is found out, or stays open until it cannot land any more. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gateOf, revisionOf } from '../../core/pods.ts';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { Devstack } from '../../devstack/stack.ts';
import { type FaultProxy, startFaultProxy } from '../faults/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { anAttempt } from '../support/pod-scene.ts';
import { Driver, type Engine, startClusterWithNodes, startEngine } from './pod-engine.ts';
import { createWorkload } from './workloads.ts';

let stack: Devstack;
let proxy: FaultProxy;
let engine: Engine;

beforeAll(async () => {
  stack = await startClusterWithNodes();
  proxy = await startFaultProxy({ target: { kubeconfigPath: stack.kubeconfig } });
  engine = await startEngine(proxy.kubeconfigPath);
});

afterEach(() => proxy.reset());

afterAll(async () => {
  await engine?.stop();
  await proxy?.close();
  await stack?.stop();
});

async function start(name: string, spec: Partial<GameDeploymentSpec>): Promise<Driver> {
  await createWorkload(engine.client, name, spec);
  return new Driver(engine, name);
}

const image = (name: string) => ({ spec: { containers: [{ name: 'game', image: name }] } });
const inPlace = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };

describe('a dropped answer', () => {
  it('of a create is found out, and the pod is made once', async () => {
    const driver = await start('dropped-create', { replicas: 1 });
    const seen = await driver.look();
    proxy.reset();
    proxy.dropAnswer(1);
    expect(await driver.move(seen)).toMatchObject({ done: 1, unresolved: [] });
    await driver.settle();
    expect(await driver.pods()).toHaveLength(1);
  });

  it.each([
    ['of W1 is found out, and W2 follows', 1],
    ['of W2 is found out', 2],
  ])('%s', async (_sentence, write) => {
    const driver = await start(`dropped-w${write}`, { replicas: 1, updateStrategy: inPlace });
    await driver.settle();
    await driver.edit({ template: image('game:2') });
    const seen = await driver.look();
    proxy.reset();
    proxy.dropAnswer(write);
    expect(await driver.move(seen)).toMatchObject({ done: 1, unresolved: [] });
    const [pod] = await driver.pods();
    expect([gateOf(pod!), revisionOf(pod!)]).toEqual(['closed', driver.state.updateRevision]);
  });

  it('of a delete is found out', async () => {
    const driver = await start('dropped-delete', { replicas: 1 });
    await driver.settle();
    await driver.edit({ replicas: 0 });
    const seen = await driver.look();
    proxy.reset();
    proxy.dropAnswer(1);
    expect(await driver.move(seen)).toMatchObject({ done: 1, unresolved: [] });
  });
});

describe('a write that is held', () => {
  it('stays open, is fenced off, and does not land when it comes late', async () => {
    const driver = await start('held', { replicas: 1 });
    await driver.settle();
    await driver.edit({ replicas: 0 });
    const seen = await driver.look();
    proxy.reset();
    const held = proxy.holdWrite(1);
    const result = await driver.move(seen);
    expect(result.unresolved).toMatchObject([{ act: 'delete', outcome: 'unknown' }]);
    expect(result.quorum).toBe(true);

    driver.state.needsQuorum = true;
    await driver.edit({ replicas: 1 });
    const fencing = await driver.look();
    expect(fencing.moves.map((move) => move.act)).toEqual(['fence']);
    expect((await driver.move(fencing)).unresolved).toEqual([]);

    held.release();
    await eventually('the late delete was answered', () => held.write?.status);
    expect(held.write?.status).toBe(409);
    expect((await driver.settle()).counts.available).toBe(1);
    expect(driver.state.unresolved).toEqual([]);
  });
});

describe('a pod watch that is silent', () => {
  it('lets nothing be spent', async () => {
    const driver = await start('silent', { replicas: 1 });
    await driver.settle();
    await driver.edit({ replicas: 0 });
    const seen = await driver.look();
    proxy.stopWatch('pods', 'cut');
    await eventually('the watch is not fresh', () => !engine.ports.stores.pods.isFresh());
    expect(await driver.move(seen)).toMatchObject({ done: 0, moved: 1, unresolved: [] });
    expect(await driver.pods()).toHaveLength(1);
    proxy.resumeWatch('pods');
    await driver.settle();
    await eventually('the pod is gone', async () => (await driver.pods()).length === 0);
  });
});

describe('an attempt that is repeated', () => {
  it('does not do twice what the first one did', async () => {
    const driver = await start('repeated', { replicas: 2 });
    const seen = await driver.look();
    await driver.move(seen);
    const again = await driver.move(seen, anAttempt(2));
    expect(again).toMatchObject({ done: 0, quorum: true, unresolved: [] });
    driver.state.needsQuorum = true;
    await driver.settle();
    expect(await driver.pods()).toHaveLength(2);
  });
});
