import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderEnvironment, shellWord, writeEnvironmentFile } from './environment.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-environment-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** What a shell with these variables has after it sourced the file. */
function sourced(environment: Record<string, string>, before: Record<string, string>): string[] {
  const path = join(dir, 'env');
  writeEnvironmentFile(path, environment);
  const PATH = process.env.PATH ?? '';
  const answer = execFileSync('sh', ['-euc', `. ${path}; env`], { env: { PATH, ...before } }).toString();
  return answer
    .split('\n')
    .filter((line) => /^(TEMPORAL|PROMETHEUS|OTHER)/.test(line))
    .sort();
}

const foreign = {
  TEMPORAL_NAMESPACE: 'work',
  TEMPORAL_API_KEY: 'secret',
  TEMPORAL_TLS_SERVER_NAME: 'work.example',
  TEMPORAL_GRPC_META_Team: 'a b',
};

test('a shell that sources it forgets another Temporal, and nothing else', () => {
  const environment = { TEMPORAL_ADDRESS: '127.0.0.1:1234', TEMPORAL_NAMESPACE: 'default' };
  const want = ['OTHER=kept', 'TEMPORAL_ADDRESS=127.0.0.1:1234', 'TEMPORAL_NAMESPACE=default'];
  expect(sourced(environment, { ...foreign, OTHER: 'kept' })).toEqual(want);
  expect(sourced(environment, { OTHER: 'kept' })).toEqual(want);
});

test('a stack without Temporal leaves that of the shell alone', () => {
  expect(sourced({ PROMETHEUS_URL: 'http://127.0.0.1:9090' }, foreign)).toHaveLength(5);
  expect(renderEnvironment({})).toBe('');
});

test.each(['plain', '/a/path:with@signs', 'two words', "it's", '$HOME `x` "y"', ''])(
  'the word %j is one word',
  (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`]).toString()).toBe(word);
  },
);
