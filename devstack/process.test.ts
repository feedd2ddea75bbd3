import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServerProcess } from './process.ts';
import { waitFor } from './wait.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

let dir: string;
let watchdog: Watchdog;
let crashed: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-process-'));
  watchdog = startWatchdog();
  crashed = [];
});
afterEach(() => {
  watchdog.close();
  rmSync(dir, { recursive: true });
});

function makeServer(script: string, readyTimeoutMs = 10_000): ServerProcess {
  const logPath = join(dir, 'log');
  const isReady = async () => readFileSync(logPath, 'utf8').includes('ready');
  const spec = { name: 'toy', command: '/bin/sh', args: ['-c', script], logPath, isReady, readyTimeoutMs };
  return new ServerProcess(spec, watchdog, ({ name }) => crashed.push(name));
}

const readState = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];

describe('a server', () => {
  test('is ready when its check says so, and stops when it is asked to', async () => {
    const server = makeServer('echo ready; exec sleep 60');
    await server.start();
    expect(server.isRunning).toBe(true);
    await server.stop();
    expect(server.isRunning).toBe(false);
    expect(crashed).toEqual([]);
  });

  test('that ignores SIGTERM is killed, with its children', async () => {
    const server = makeServer('trap "" TERM; sleep 60 & echo $!; echo ready; while :; do sleep 60; done');
    await server.start();
    const sleeper = Number(server.tail().split('\n')[0]);
    await server.stop(100);
    await waitFor(async () => isGone(sleeper), { what: 'end of the child', timeoutMs: 5_000 });
  });

  test('that ends before it is ready is reported with its last words', async () => {
    const server = makeServer('echo "no disk" >&2; exit 3');
    await expect(server.start()).rejects.toThrow(/toy ended before it was ready.*no disk/s);
  });

  test('that is never ready is reported with its last words', async () => {
    const server = makeServer('echo "still waiting"; exec sleep 60', 200);
    await expect(server.start()).rejects.toThrow(/start of toy did not happen.*still waiting/s);
    await server.kill();
  });

  test('that ends by itself is reported', async () => {
    const server = makeServer('echo ready; read _ < /dev/zero; sleep 0.1');
    await server.start();
    if (server.pid === undefined) throw new Error('toy does not run');
    process.kill(server.pid, 'SIGKILL');
    await waitFor(async () => crashed.length > 0, { what: 'report of the crash', timeoutMs: 5_000 });
    expect(crashed).toEqual(['toy']);
  });

  test('can be frozen and woken', async () => {
    const server = makeServer('echo ready; exec sleep 60');
    await server.start();
    const pid = server.pid ?? 0;
    server.freeze();
    await waitFor(async () => readState(pid) === 'T', { what: 'freeze', timeoutMs: 5_000 });
    server.resume();
    await waitFor(async () => readState(pid) === 'S', { what: 'wake', timeoutMs: 5_000 });
    server.freeze();
    await server.stop();
    expect(server.isRunning).toBe(false);
  });
});

test('servers die with a parent that is killed', async () => {
  const script = `
    const { startWatchdog } = await import('${import.meta.dirname}/watchdog.ts');
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', ['60'], { detached: true });
    startWatchdog().add(child.pid);
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once('data', (line: Buffer) => resolve(Number(line))),
  );
  expect(isGone(pid)).toBe(false);
  parent.kill('SIGKILL');
  await waitFor(async () => isGone(pid), { what: 'end of the server', timeoutMs: 5_000 });
});

test('a process the watchdog was told to forget is left alone', async () => {
  const [kept, killed] = [1, 2].map(() => spawn('sleep', ['60'], { detached: true }));
  const own = startWatchdog();
  for (const child of [kept, killed]) own.add(child?.pid ?? 0);
  own.remove(kept?.pid ?? 0);
  own.close();
  await waitFor(async () => killed?.signalCode === 'SIGKILL', { what: 'end of the other', timeoutMs: 5_000 });
  expect(kept?.signalCode).toBe(null);
  kept?.kill();
});

/** Gone, or a zombie nobody has waited for yet. */
function isGone(pid: number): boolean {
  try {
    return readState(pid) === 'Z';
  } catch {
    return true;
  }
}
