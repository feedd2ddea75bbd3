import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cacheDirectory } from './binaries.ts';
import { buildBinaries, buildModule, formatElapsed } from './build.ts';

let dir: string;
let log: string[];

/** A PATH on which go is a script that counts its calls. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  log = [];
  mkdirSync(join(dir, 'path'));
  vi.stubEnv('XDG_CACHE_HOME', join(dir, 'cache'));
  vi.stubEnv('PATH', `${join(dir, 'path')}:/usr/bin:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

function fakeGo(script: string): void {
  const path = join(dir, 'path', 'go');
  writeFileSync(
    path,
    `#!/bin/sh\necho "$@" >> ${dir}/calls\nfor last; do [ "$previous" = -o ] && out=$last; previous=$last; done\n${script}\n`,
  );
  chmodSync(path, 0o755);
}

const calls = () => (existsSync(join(dir, 'calls')) ? readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n') : []);
const build = () => buildBinaries(['etcd', 'kwok'], (line) => log.push(line));

test('what is missing is built once, each with its place in the order and its time', async () => {
  fakeGo('echo built > $out');
  const paths = await build();
  expect(readFileSync(paths.kwok, 'utf8')).toBe('built\n');
  expect(log).toEqual([
    'building etcd (1 of 2)',
    'built etcd (1 of 2) in 0 s',
    'building kwok (2 of 2)',
    'built kwok (2 of 2) in 0 s',
  ]);
  await build();
  expect(calls()).toHaveLength(2);
});

test('while it takes long it says what is built, and since when', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const goOn = join(dir, 'go-on');
  fakeGo(`until [ -e ${goOn} ]; do sleep 0.02; done; echo built > $out`);
  const built = buildBinaries(['etcd'], (line) => log.push(line));
  await vi.waitUntil(() => calls().length === 1, { timeout: 30_000 });
  vi.advanceTimersByTime(125_000);
  writeFileSync(goOn, '');
  await built;
  vi.advanceTimersByTime(60_000);
  expect(log.slice(0, 3)).toEqual([
    'building etcd (1 of 1)',
    'building etcd (1 of 1): 10 s so far',
    'building etcd (1 of 1): 20 s so far',
  ]);
  expect(log.slice(-2)).toEqual(['building etcd (1 of 1): 2 min 00 s so far', 'built etcd (1 of 1) in 2 min 05 s']);
});

test('a build that failed leaves nothing that looks finished, and the next one goes on from there', async () => {
  fakeGo('echo half > $out; case "$*" in *kwok*) echo "no space left" >&2; exit 1;; esac');
  await expect(build()).rejects.toThrow(/go build ended with 1:\nno space left/);
  expect(readdirSync(join(cacheDirectory(), 'bin'))).toEqual(['etcd']);
  fakeGo('echo whole > $out');
  const paths = await build();
  expect(readFileSync(paths.kwok, 'utf8')).toBe('whole\n');
  expect(calls()).toHaveLength(3);
  expect(readdirSync(cacheDirectory())).toEqual(['bin']);
});

test('two builds at once build everything once', async () => {
  fakeGo('sleep 0.3; echo built > $out');
  await Promise.all([build(), build()]);
  expect(calls()).toHaveLength(2);
  expect(log.filter((line) => line.includes('waiting for it'))).toHaveLength(1);
});

test('a build that is told to end leaves nothing and can be done again', async () => {
  fakeGo('echo half > $out; exec sleep 60');
  const controller = new AbortController();
  const onLog = (line: string) => line.startsWith('building etcd') && setTimeout(() => controller.abort(), 50);
  await expect(buildBinaries(['etcd'], onLog, controller.signal)).rejects.toThrow('aborted');
  expect(readdirSync(cacheDirectory())).toEqual(['bin']);
  fakeGo('echo whole > $out');
  await build();
});

test('a module of its own is built apart from the servers, and anew when its sources change', async () => {
  fakeGo('pwd >> $out');
  const module = join(dir, 'module');
  mkdirSync(module);
  writeFileSync(join(module, 'go.mod'), 'module one');
  const first = await buildModule('tool', module, (line) => log.push(line));
  expect(readFileSync(first, 'utf8')).toBe(`${module}\n`);
  expect(await buildModule('tool', module, () => {})).toBe(first);
  expect(calls()).toHaveLength(1);
  writeFileSync(join(module, 'main.go'), 'package main');
  expect(await buildModule('tool', module, () => {})).not.toBe(first);
  expect(existsSync(cacheDirectory())).toBe(false);
});

test('a machine without Go is told in one sentence', async () => {
  vi.stubEnv('PATH', join(dir, 'path'));
  await expect(build()).rejects.toThrow(
    /^devstack needs go to build Kubernetes, etcd and kwok: install Go 1.26 or newer\.$/,
  );
});

test.each([
  [400, '0 s'],
  [59_400, '59 s'],
  [125_000, '2 min 05 s'],
])('%i ms reads as %s', (milliseconds, want) => {
  expect(formatElapsed(milliseconds)).toBe(want);
});
