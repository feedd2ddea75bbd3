import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeEnvironmentFile } from './environment.ts';
import { readArguments } from './main.ts';
import { COMPONENT_NAMES, withNeeded } from './servers.ts';

test('without arguments everything starts, with three nodes', () => {
  expect(readArguments([])).toMatchObject({ nodes: 3, components: COMPONENT_NAMES, buildOnly: false, help: false });
});

test('every argument is understood', () => {
  const args = [
    '--nodes',
    '5',
    '--components',
    'kwok,temporal',
    '--env-file',
    'e',
    '--dir=d',
    '--build-only',
    '--help',
  ];
  const components = ['kwok', 'temporal'];
  expect(readArguments(args)).toEqual({ nodes: 5, components, envFile: 'e', dir: 'd', buildOnly: true, help: true });
});

test.each([
  [['--nodes', 'many'], '--nodes must be a whole number'],
  [['--nodes=-1'], '--nodes must be a whole number'],
  [['--components', 'kubelet'], 'no "kubelet"; there are etcd'],
  [['--frobnicate'], 'Unknown option'],
  [['extra'], 'Unexpected argument'],
])('%j is refused', (args, wantMessage) => {
  expect(() => readArguments(args)).toThrow(wantMessage);
});

test.each([
  [['kwok'], ['etcd', 'kube-apiserver', 'kwok']],
  [['temporal'], ['temporal']],
  [
    ['kube-scheduler', 'etcd'],
    ['etcd', 'kube-apiserver', 'kube-scheduler'],
  ],
] as const)('%j needs %j', (wanted, want) => {
  expect(withNeeded(wanted)).toEqual(want);
});

test('a shell reads back from the environment file exactly what was written', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-environment-'));
  try {
    const environment = { PLAIN: '127.0.0.1:80', ODD: `it's a $HOME "path"`, EMPTY: '' };
    const path = join(dir, 'env');
    writeEnvironmentFile(path, environment);
    const print = Object.keys(environment).map((name) => `printf '%s\\n' "$${name}"`);
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `. ${path}; ${print.join('; ')}`]);
    expect(stdout.split('\n').slice(0, 3)).toEqual(Object.values(environment));
  } finally {
    rmSync(dir, { recursive: true });
  }
});
