/** npm run devstack as a person runs it: the environment it prints, how it stops and what it leaves behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../devstack/wait.ts';
import { findProcesses, run } from './programs.ts';

interface Command {
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
}

let scratch: string;
let commands: Command[];

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'holdfast-command-'));
  commands = [];
});
afterEach(() => {
  for (const { child } of commands) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true });
});

function start(...args: string[]): Command {
  const child = spawn(process.execPath, ['--', 'devstack/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const command = { child, output: () => text, exit };
  commands.push(command);
  return command;
}

/** Starts the command and waits for its environment file. */
async function startReady(...args: string[]): Promise<Command & { envFile: string; env: Record<string, string> }> {
  const envFile = join(scratch, 'env');
  const command = start('--env-file', envFile, ...args);
  let ended = false;
  void command.exit.then(() => (ended = true));
  const check = async () => {
    if (ended) throw new Error(command.output());
    return existsSync(envFile);
  };
  await waitFor(check, { what: 'the environment file', timeoutMs: 120_000 });
  return { ...command, envFile, env: parseEnvironment(readFileSync(envFile, 'utf8')) };
}

function parseEnvironment(text: string): Record<string, string> {
  const lines = text.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.replace('export ', '').split('=') as [string, string]));
}

async function waitUntilNoneLeft(text: string): Promise<void> {
  const check = async () => {
    const left = findProcesses(text);
    if (left.length === 0) return true;
    throw new Error(left.map(({ commandLine }) => commandLine).join('\n'));
  };
  await waitFor(check, { what: 'the end of every server', timeoutMs: 20_000 });
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

test('a shell that sources the environment file reaches every server, and SIGTERM ends them all', async () => {
  const started = performance.now();
  const { child, exit, env, envFile, output } = await startReady('--nodes', '2');
  const elapsedMs = performance.now() - started;
  expect(output()).not.toContain('building');
  expect(elapsedMs).toBeLessThan(60_000);
  expect(Object.keys(env)).toEqual(
    expect.arrayContaining(['KUBECONFIG', 'TEMPORAL_ADDRESS', 'TEMPORAL_UI', 'PROMETHEUS_URL']),
  );
  const script = `. ${envFile}; PATH=$DEVSTACK_BIN:$PATH; kubectl get nodes -o name; temporal operator cluster health`;
  const ofAnother = { TEMPORAL_NAMESPACE: 'work', TEMPORAL_API_KEY: 'none', TEMPORAL_TLS_SERVER_NAME: 'work.example' };
  const answer = await run('/bin/sh', ['-c', script], { ...process.env, ...ofAnother });
  expect(answer.match(/node\/node-\d/g)).toEqual(['node/node-1', 'node/node-2']);
  expect(answer).toContain('SERVING');
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  await waitUntilNoneLeft(env.DEVSTACK_DIR ?? '');
  expect(existsSync(env.DEVSTACK_DIR ?? '')).toBe(false);
});

test('a killed devstack takes its servers with it', async () => {
  const { child, exit, env } = await startReady('--components', 'kube-apiserver,prometheus');
  const dir = env.DEVSTACK_DIR ?? '';
  expect(findProcesses(dir).length).toBe(3);
  child.kill('SIGKILL');
  await exit;
  await waitUntilNoneLeft(dir);
  rmSync(dir, { recursive: true });
});

test('a server that ends by itself ends the command, which shows the last lines of its log', async () => {
  const { exit, env, output } = await startReady('--components', 'prometheus');
  const [prometheus] = findProcesses(`storage.tsdb.path=${env.DEVSTACK_DIR}/`);
  if (prometheus === undefined) throw new Error('prometheus does not run');
  process.kill(prometheus.pid);
  expect(await exit).toBe(1);
  expect(output()).toMatch(/prometheus ended by itself; last lines:\n.*SIGTERM/);
});

test('SIGTERM while servers start stops what has started and leaves nothing', async () => {
  const { child, exit, output } = start();
  const check = async () => /etcd is ready/.test(output()) && findProcesses('holdfast-devstack-').length > 0;
  await waitFor(check, { what: 'the first server', timeoutMs: 120_000 });
  const own = findProcesses('holdfast-devstack-').filter(({ pid }) => parentOf(pid) === child.pid);
  const dir = own[0]?.commandLine.match(/\S*holdfast-devstack-\w+/)?.[0].replace(/^.*=/, '') ?? '';
  child.kill('SIGTERM');
  expect(await exit).toBe(1);
  expect(output()).toContain('SIGTERM before all servers were ready: stopped');
  await waitUntilNoneLeft(dir);
  expect(existsSync(dir)).toBe(false);
});

test('an argument that makes no sense ends it with one sentence', async () => {
  const { exit, output } = start('--components', 'etcd,kubelet');
  expect(await exit).toBe(1);
  expect(output()).toMatch(/^devstack: --components: no "kubelet"; there are etcd, .*\n$/);
});

test('--help explains itself', async () => {
  const { exit, output } = start('--help');
  expect(await exit).toBe(0);
  expect(output()).toContain('--env-file F');
});
