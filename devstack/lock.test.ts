import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
  path = join(dir, 'lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('two that want it get it one after the other, and the second is told who has it', async () => {
  const order: string[] = [];
  const waitedFor: number[] = [];
  const hold = Promise.withResolvers<void>();
  const first = withLock(
    path,
    () => {},
    async () => {
      order.push('first in');
      await hold.promise;
      order.push('first out');
    },
  );
  const second = withLock(
    path,
    (pid) => {
      waitedFor.push(pid);
      hold.resolve();
    },
    async () => void order.push('second in'),
  );
  await Promise.all([first, second]);
  expect(order).toEqual(['first in', 'first out', 'second in']);
  expect(waitedFor).toEqual([process.pid]);
});

test('it is free again after its work failed', async () => {
  const failing = withLock(path, fail, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(await withLock(path, fail, async () => 'done')).toBe('done');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['a process that is gone', JSON.stringify({ pid: spawnSync('true').pid, startedAt: '1' })],
  ['an earlier process with the number of a living one', JSON.stringify({ pid: process.pid, startedAt: '1' })],
  ['nobody who can be read', 'half a li'],
])('a lock of %s is taken over', async (_, content) => {
  writeFileSync(path, content);
  expect(await withLock(path, fail, async () => 'done')).toBe('done');
});

test('a takeover that died in the middle does not block the next one', async () => {
  writeFileSync(path, '');
  mkdirSync(`${path}.takeover`);
  utimesSync(`${path}.takeover`, 1, 1);
  expect(await withLock(path, fail, async () => 'done')).toBe('done');
});

function fail(pid: number): never {
  throw new Error(`waited for ${pid}`);
}
