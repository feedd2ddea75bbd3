/** A controller that comes after another one died rings what was missed, and lets the rest sleep (ADR 0007). */
import { Client, Connection } from '@temporalio/client';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DOORBELL_ID } from '../../workflows/doorbell-start.ts';
import type { ControllerProcess } from '../faults/process.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from './installation.ts';

const NAMES = ['pod-lost', 'run-lost', 'settled'] as const;
type Name = (typeof NAMES)[number];

let here: Installation;
let connection: Connection;
let temporal: Client;
const running: (ControllerProcess & { url: string })[] = [];

beforeAll(async () => {
  here = await Installation.open();
  connection = await Connection.connect({ address: here.stack.env.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
  const { code, stderr } = await here.holdfast(['install']);
  expect([code, stderr]).toEqual([0, '']);
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') for (const controller of running) console.error(controller.tail(80));
  await Promise.all(running.splice(0).map((controller) => controller.kill()));
});
afterAll(async () => {
  await connection?.close();
  await here.close();
});

/** Two cores are shared by five servers and whatever else runs. */
const PATIENCE = { timeoutMs: 90_000, intervalMs: 500 };

async function start() {
  const controller = await here.controller();
  running.push(controller);
  return controller;
}

const runOf = (name: Name) => temporal.workflow.getHandle(`gamedeployment/default/${name}`);

async function eventsOf(name: Name): Promise<number> {
  return (await runOf(name).describe()).historyLength;
}

/** Its pods are there, its status says so, and its run waits for a bell. */
async function settles(name: Name): Promise<void> {
  await here.kubectl(['wait', `gamedeployment/${name}`, '--for=condition=Ready', '--timeout=90s']);
  await here.kubectl(['wait', `gamedeployment/${name}`, '--for=jsonpath={.status.moving}=false', '--timeout=90s']);
  await eventually(`the run of ${name} sleeps`, () => runOf(name).describe(), {
    ...PATIENCE,
    until: ({ raw }) => (raw.pendingActivities ?? []).length === 0 && !raw.pendingWorkflowTask,
  });
}

const podsOf = async (name: Name): Promise<string[]> =>
  (await here.kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'name'])).trim().split('\n');

async function bellsOf({ url }: { url: string }): Promise<string> {
  const text = await (await request(`${url}/metrics`)).body.text();
  return /^holdfast_bells_total\{reason="resync",result="rung"\} (\d+)$/m.exec(text)?.[1] ?? '0';
}

test('a lost pod is replaced, a lost run is started again, and who is settled is not woken', async () => {
  const first = await start();
  for (const name of NAMES) await here.kubectl(['apply', '-f', '-'], gameDeployment(name, 'game:1'));
  for (const name of NAMES) await settles(name);
  await first.kill();
  const before = await eventsOf('settled');
  const [lost = ''] = await podsOf('pod-lost');
  await here.kubectl(['delete', lost]);
  await runOf('run-lost').terminate('as an operator might');
  const second = await start();
  await eventually('the lost pod is replaced', () => podsOf('pod-lost'), {
    ...PATIENCE,
    until: (pods) => pods.length === 3 && !pods.includes(lost),
  });
  await eventually('the lost run is there again', () => runOf('run-lost').describe(), {
    ...PATIENCE,
    until: ({ status }) => status.name === 'RUNNING',
  });
  for (const name of NAMES) await settles(name);
  expect(await bellsOf(second)).toBe('2');
  expect(await eventsOf('settled')).toBe(before);
});

test('somebody ends the workflow that elects who rings: it runs again, and bells are rung', async () => {
  await start();
  await temporal.workflow.getHandle(DOORBELL_ID).terminate('by mistake');
  await eventually('it runs again', () => temporal.workflow.getHandle(DOORBELL_ID).describe(), {
    ...PATIENCE,
    until: ({ status }) => status.name === 'RUNNING',
  });
  await here.kubectl(['apply', '-f', '-'], gameDeployment('rung-again', 'game:1'));
  await here.kubectl(['wait', 'gamedeployment/rung-again', '--for=condition=Ready', '--timeout=90s']);
});
