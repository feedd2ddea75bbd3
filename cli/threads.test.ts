/** However the command is started: as many threads as name servers without an answer may take, and as many as the environment says. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;
/** At its end a process needs a thread, so that all are there, and counts them. */
const COUNT = `
import fs from 'node:fs';
process.once('exit', () => {
  fs.readFile('/dev/null', () => {});
  fs.writeSync(2, 'threads: ' + fs.readdirSync('/proc/self/task').length + '\\n');
});`;

function threadsOf(args: string[], environment: NodeJS.ProcessEnv): number {
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(COUNT)}`,
    ...environment,
  };
  const { stderr, status } = spawnSync(process.execPath, ['--', ...args, '--version'], { cwd: ROOT, env });
  expect(status).toBe(0);
  const counts = [...String(stderr).matchAll(/threads: (\d+)/g)].map(([, count]) => Number(count));
  return Math.max(...counts);
}

const THROUGH_BOOTSTRAP = ['devstack/bootstrap.mjs', 'cli/main.ts'];

// Those of Node itself are fewer than ten.
it.each([[['cli/main.ts']], [THROUGH_BOOTSTRAP]])('%j', (args) => {
  const threads = threadsOf(args, { UV_THREADPOOL_SIZE: undefined });
  expect(threads).toBeGreaterThan(64);
  expect(threads).toBeLessThan(96);
});

it('as many as the environment says', () => {
  expect(threadsOf(THROUGH_BOOTSTRAP, { UV_THREADPOOL_SIZE: '1' })).toBeLessThan(32);
});
