/**
 * etcd put back to a state of before, as whoever restores a snapshot does: versions begin again below those that were seen, by stores and
 * by workflows, and watches that go on where they were bring nothing until they are overtaken.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ControllerProcess } from '../faults/process.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from './installation.ts';

let here: Installation;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  here = await Installation.open();
  await here.holdfast(['install']);
  controller = await here.controller();
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(controller?.tail(80));
});
afterAll(async () => {
  await controller?.kill();
  await here?.close();
});

const dataDir = () => join(here.stack.dir, 'etcd');
const copyDir = () => join(here.stack.dir, 'etcd-of-before');

/** With both servers down, so that the files are whole. */
async function withClusterDown(act: () => void): Promise<void> {
  await here.stack.process('kube-apiserver').stop();
  await here.stack.process('etcd').stop();
  act();
  await here.stack.process('etcd').start();
  await here.stack.process('kube-apiserver').start();
}

const save = () => withClusterDown(() => cpSync(dataDir(), copyDir(), { recursive: true }));

/** What comes with Kubernetes is restarted, as its handbook says; the controller is not. */
async function restore(): Promise<void> {
  await withClusterDown(() => {
    rmSync(dataDir(), { recursive: true });
    cpSync(copyDir(), dataDir(), { recursive: true });
  });
  await Promise.all(
    (['kube-controller-manager', 'kube-scheduler', 'kwok'] as const).map((name) => here.stack.process(name).restart()),
  );
}

const PATIENCE = { timeoutMs: 90_000, intervalMs: 500 };
const NAMES = ['lobby', 'hall'];
const REPLICAS = 3;
const imageOf = (version: number) => `registry.invalid/game:${version}`;

const setImage = (name: string, version: number) => {
  const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: imageOf(version) }];
  return here.kubectl(['patch', 'gamedeployment', name, '--type=json', '-p', JSON.stringify(patch)]);
};

const imagesOf = async (name: string): Promise<string[]> =>
  (await here.kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].spec.containers[0].image}']))
    .split(' ')
    .filter((image) => image !== '');

const runs = (name: string, version: number) =>
  eventually(
    `${name} runs version ${version}`,
    async () => {
      await here.kubectl(['wait', '--for=condition=Ready', `gamedeployment/${name}`, '--timeout=1s']);
      const images = await imagesOf(name);
      return images.length === REPLICAS && images.every((image) => image === imageOf(version));
    },
    PATIENCE,
  );

test('a controller that nobody restarts goes on from what is there', async () => {
  for (const name of NAMES) {
    await here.kubectl(['apply', '-f', '-'], gameDeployment(name, imageOf(1)));
    await runs(name, 1);
  }
  await save();
  for (const name of NAMES) {
    await setImage(name, 2);
    await runs(name, 2);
  }
  await restore();
  expect(await imagesOf('hall')).toEqual(Array.from({ length: REPLICAS }, () => imageOf(1)));
  await setImage('lobby', 3);
  await runs('lobby', 3);
  await runs('hall', 1);
}, 400_000);
