import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Devstack } from '../stack.ts';
import { invitation } from './invitation.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const stack = {
  binaries: { temporal: '/cache/bin/temporal' },
  kubeconfig: '/stack/kubeconfig',
  env: {
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_CONFIG_FILE: '/stack/no-temporal.toml',
    TEMPORAL_UI: 'http://127.0.0.1:8233',
  },
} as unknown as Devstack;
const workload = { namespace: 'default', name: 'lobby' };

const commandsFor = (inherited: NodeJS.ProcessEnv) =>
  invitation(stack, workload, { HOME: home, ...inherited })
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());

/** What a program is handed when a shell runs the command. */
const wordsOf = (command: string) =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\n' "$word"; done`])
    .toString()
    .trimEnd()
    .split('\n');

test('the command says who resumes, and leaves neither address nor namespace to the terminal', () => {
  const [bySignal = '', byHoldfast = ''] = commandsFor({});
  const words = wordsOf(bySignal);
  expect(words.slice(0, 3)).toEqual(['/cache/bin/temporal', 'workflow', 'signal']);
  const message = words[words.indexOf('--input') + 1] ?? '';
  expect(JSON.parse(message)).toEqual({ by: userInfo().username, step: 1 });
  expect(words.slice(-4)).toEqual(['--address', '127.0.0.1:7233', '--namespace', 'default']);
  expect(byHoldfast).toMatch(/ --temporal-address 127.0.0.1:7233 --temporal-namespace default$/);
});

test('settings of another Temporal are taken away for the command', () => {
  const inherited = { TEMPORAL_API_KEY: 'secret', TEMPORAL_PROFILE: 'work', TEMPORAL_CONFIG_FILE: '/elsewhere.toml' };
  const without = 'env -u TEMPORAL_API_KEY -u TEMPORAL_PROFILE TEMPORAL_CONFIG_FILE=/stack/no-temporal.toml ';
  for (const command of commandsFor(inherited)) {
    expect(command.startsWith(without)).toBe(true);
    expect(command).not.toContain('secret');
  }
});

test('so is the configuration file of the home directory', () => {
  mkdirSync(join(home, '.config', 'temporalio'), { recursive: true });
  writeFileSync(join(home, '.config', 'temporalio', 'temporal.toml'), '');
  for (const command of commandsFor({}))
    expect(command).toMatch(/^env TEMPORAL_CONFIG_FILE=\/stack\/no-temporal.toml \S/);
});
