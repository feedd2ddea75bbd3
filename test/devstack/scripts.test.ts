/** The npm scripts hand every flag on: node itself would take `--env-file` even after the name of a script. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

test('npm run devstack -- --env-file FILE reaches the devstack', async () => {
  const args = ['run', '--silent', 'devstack', '--', '--env-file', '/does/not/exist.env', '--help'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, timeout: 60_000 });
  expect(stdout).toContain('--env-file');
});
