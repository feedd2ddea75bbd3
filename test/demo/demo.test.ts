/** The demo as people run it: from nothing to the end by itself, and by the commands that it prints. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DEMO_MS = 240_000;

/** What somebody who works with another Temporal and another cluster has in the shell. */
const SHELL = {
  ...process.env,
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  TEMPORAL_NAMESPACE: 'work',
  TEMPORAL_API_KEY: 'none',
  TEMPORAL_TLS_SERVER_NAME: 'work.example',
  TEMPORAL_CONFIG_FILE: '/does/not/exist.toml',
  TEMPORAL_PROFILE: 'work',
  KUBECONFIG: '/does/not/exist',
};

/** One run of the demo and what it has said so far. */
class Demo {
  readonly #child: ChildProcess;
  #output = '';
  readonly exited: Promise<number | null>;

  constructor(...args: string[]) {
    const entry = join('devstack', 'demo', 'main.ts');
    const options = { cwd: ROOT, env: SHELL, stdio: ['ignore' as const, 'pipe' as const, 'pipe' as const] };
    this.#child = spawn(process.execPath, ['--', entry, ...args], options);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
    this.exited = new Promise((resolve) => this.#child.once('exit', resolve));
    running.add(this);
  }

  get lines(): string[] {
    return this.#output.split('\n');
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  /** The first line with this text, once it is there. */
  async says(text: string): Promise<string> {
    const found = () => this.lines.find((line) => line.includes(text)) ?? { lastLines: this.lines.slice(-12) };
    const until = (seen: unknown) => typeof seen === 'string';
    return (await eventually(`the demo says "${text}"`, found, { timeoutMs: DEMO_MS, until })) as string;
  }
}

const running = new Set<Demo>();

afterEach(async () => {
  for (const demo of running) demo.interrupt();
  await Promise.all([...running].map((demo) => demo.exited));
  running.clear();
});

/** Pods at the new revision when the step began, as the live view showed them. */
function newPodsAt(demo: Demo, step: number): number {
  const line = demo.lines.find((each) => each.includes(`step ${step} of 5`)) ?? '';
  return Number(/new (\d+)/.exec(line)?.[1]);
}

/** Its rows, one for each step. */
const summaryOf = ({ lines }: Demo): string[] =>
  lines.slice(lines.findIndex((line) => line.startsWith('STEP ')) + 1).slice(0, 6);

const typed = (command: string) => promisify(execFile)('sh', ['-c', command], { cwd: ROOT, env: SHELL });

test('--yes goes on by itself and ends with 0 when the rollout is completed', { timeout: DEMO_MS }, async () => {
  const demo = new Demo('--yes');
  expect(await demo.exited, demo.lines.slice(-30).join('\n')).toBe(0);
  expect(summaryOf(demo).map((line) => line.split(/ {3,}/).slice(0, 3).join(' | '))).toEqual([
    '0 | partition 16 | done',
    '1 | pause until resumed | resumed',
    '2 | partition 10 | done',
    '3 | pause 5 s | elapsed',
    '4 | hook canary-healthy | done',
    '5 | all pods | done',
  ]);
  expect([newPodsAt(demo, 1), newPodsAt(demo, 3), newPodsAt(demo, 5)]).toEqual([4, 10, 10]);
});

test('the signal that it prints goes on, and the summary tells who sent it', { timeout: DEMO_MS }, async () => {
  const demo = new Demo();
  await typed(await demo.says(' workflow signal '));
  expect(await demo.exited, demo.lines.slice(-30).join('\n')).toBe(0);
  const resumed = summaryOf(demo)[1] ?? '';
  expect(resumed).toMatch(/^1 +pause until resumed +resumed +/);
  expect(resumed.split(/ {3,}/)[3]).toBe(userInfo().username);
});

test('what it prints at the pause goes on, and Ctrl-C leaves nothing behind', { timeout: DEMO_MS }, async () => {
  const demo = new Demo();
  await demo.says('The canary waits for you');
  const command = (await demo.says('npm run -s holdfast -- resume')).trim();
  await typed(command);
  await demo.says('step 3 of 5');
  const manifest = /\S*hooktemplates.yaml/.exec(await demo.says('$ kubectl apply'))?.[0] ?? '';
  demo.interrupt();
  expect(await demo.exited).toBe(1);
  expect(existsSync(dirname(manifest))).toBe(false);
});

test('--help says what it does', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--', 'devstack/demo/main.ts', '--help'], {
    cwd: ROOT,
  });
  expect(stdout).toContain('--yes');
});
