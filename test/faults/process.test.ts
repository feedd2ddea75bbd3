import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type ControllerOptions, startController, superviseController } from './process.ts';

/** Stands in for the controller: says hello, answers /readyz, stops or not when asked. */
const SCRIPT = `
  const [port, manner] = process.argv.slice(1);
  console.log('hello from', process.env.GREETING);
  if (manner === 'fail') { console.error('no database'); process.exit(3); }
  if (manner === 'deaf') process.on('SIGTERM', () => console.log('not now'));
  require('node:http').createServer((_, answer) => answer.end('ok')).listen(port, '127.0.0.1');
`;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function optionsFor(manner: 'good' | 'fail' | 'deaf'): Promise<ControllerOptions> {
  const port = await freePort();
  const args = ['-e', SCRIPT, String(port), manner];
  const readyUrl = `http://127.0.0.1:${port}/readyz`;
  return { command: process.execPath, args, env: { GREETING: 'tests' }, readyUrl, readyTimeoutMs: 15_000 };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    const answer = await request(url, { headersTimeout: 500, reset: true });
    await answer.body.dump();
    return true;
  } catch {
    return false;
  }
}

test('a controller is ready, frozen, woken and stopped', async () => {
  const options = await optionsFor('good');
  const controller = await startController(options);
  cleanups.push(() => controller.kill());
  expect(controller.lines).toContain('hello from tests');
  controller.freeze();
  await eventually('a frozen controller is silent', async () => !(await isAnswering(options.readyUrl)));
  expect(controller.isRunning).toBe(true);
  controller.thaw();
  await eventually('a woken controller answers', () => isAnswering(options.readyUrl));
  expect(await controller.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  expect(controller.isRunning).toBe(false);
});

test('kill -9 ends it without a word', async () => {
  const controller = await startController(await optionsFor('deaf'));
  await controller.kill();
  expect(await controller.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(controller.lines).not.toContain('not now');
});

test('one that does not stop is killed, and the error shows its last lines', async () => {
  const controller = await startController(await optionsFor('deaf'));
  await expect(controller.stop(500)).rejects.toThrow(/did not stop within 500 ms\n(.*\n)*not now/);
  expect(controller.isRunning).toBe(false);
});

test('one that exits at its start is told of at once, with its last lines', async () => {
  const starting = startController(await optionsFor('fail'));
  await expect(starting).rejects.toThrow(/did not become ready: it exited with 3\n(.*\n)*no database/);
});

test('a command that does not exist is told of', async () => {
  const options = await optionsFor('good');
  await expect(startController({ ...options, command: '/no/such/command' })).rejects.toThrow('ENOENT');
});

test('a supervised controller comes back after each kill', async () => {
  const options = await optionsFor('good');
  const supervised = await superviseController(options);
  cleanups.push(() => supervised.stop());
  const first = supervised.current;
  await first.kill();
  await eventually('it was started again', () => supervised.restarts === 1);
  await supervised.current.whenReady();
  expect(supervised.current.pid).not.toBe(first.pid);
  await supervised.stop();
  expect(supervised.current.isRunning).toBe(false);
  expect(supervised.restarts).toBe(1);
});
