/** The import rule of the design, proven on files that break it and on files that may do what they do. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

interface Case {
  name: string;
  file: string;
  code: string;
  /** Part of the diagnostic; absent where the line is allowed. */
  refused?: string;
}

const value = (path: string) => `import { x } from '${path}';\nexport const y = x;\n`;
const type = (path: string) => `import type { X } from '${path}';\nexport type Y = X;\n`;
const PACKAGE_FOR_CORE = 'core is pure';
const PACKAGE_FOR_WORKFLOWS = 'workflows import no package';

const CASES: readonly Case[] = [
  { name: 'crds know no rules', file: 'crds/a.ts', code: value('../core/pods.ts'), refused: 'ground floor' },
  { name: 'crds use zod', file: 'crds/b.ts', code: value('zod') },
  {
    name: 'core runs no code of crds',
    file: 'core/a.ts',
    code: value('../crds/pod.ts'),
    refused: 'only types of crds',
  },
  { name: 'core takes types of crds', file: 'core/b.ts', code: type('../crds/pod.ts') },
  { name: 'core takes the constants of the API group', file: 'core/c.ts', code: value('../crds/api.ts') },
  { name: 'core uses no Node built-in', file: 'core/d.ts', code: value('node:fs'), refused: PACKAGE_FOR_CORE },
  { name: 'core uses no package', file: 'core/e.ts', code: value('zod'), refused: PACKAGE_FOR_CORE },
  {
    name: 'core knows no client',
    file: 'core/f.ts',
    code: type('../kubernetes/client.ts'),
    refused: 'nothing but crds',
  },
  {
    name: 'core two folders deep',
    file: 'core/g/h/a.ts',
    code: value('../../../workers/a.ts'),
    refused: 'nothing but',
  },
  { name: 'core imports core', file: 'core/plan/a.ts', code: value('../pods.ts') },
  { name: 'core has no clock', file: 'core/i.ts', code: 'export const t = Date.now();\n', refused: 'no clock' },
  { name: 'core has no dice', file: 'core/j.ts', code: 'export const t = Math.random();\n', refused: 'no randomness' },
  {
    name: 'workflows run no activity',
    file: 'workflows/a.ts',
    code: value('../activities/a.ts'),
    refused: 'only types',
  },
  { name: 'workflows name activities', file: 'workflows/b.ts', code: type('../activities/types.ts') },
  { name: 'workflows use core', file: 'workflows/c.ts', code: value('../core/rollout/advance.ts') },
  { name: 'workflows use Temporal', file: 'workflows/d.ts', code: value('@temporalio/workflow') },
  { name: 'workflows use no zod', file: 'workflows/e.ts', code: value('zod'), refused: PACKAGE_FOR_WORKFLOWS },
  { name: 'workflows use no Node', file: 'workflows/f.ts', code: value('node:os'), refused: PACKAGE_FOR_WORKFLOWS },
  { name: 'workflows use no client', file: 'workflows/g.ts', code: value('@temporalio/client'), refused: 'no package' },
  {
    name: 'workflows know no API',
    file: 'workflows/h.ts',
    code: type('../kubernetes/client.ts'),
    refused: 'import core',
  },
  { name: 'activities use the client', file: 'activities/a.ts', code: value('../kubernetes/client.ts') },
  {
    name: 'activities know no worker',
    file: 'activities/b.ts',
    code: type('../workers/a.ts'),
    refused: 'handed to them',
  },
  {
    name: 'activities run no workflow',
    file: 'activities/c.ts',
    code: value('../workflows/a.ts'),
    refused: 'only types',
  },
  { name: 'the client knows no rules', file: 'kubernetes/a.ts', code: value('../core/pods.ts'), refused: 'nothing of' },
  {
    name: 'workers know no test',
    file: 'workers/a.ts',
    code: value('../test/support/a.ts'),
    refused: 'neither the CLI',
  },
  { name: 'the CLI knows no devstack', file: 'cli/a.ts', code: value('../devstack/stack.ts'), refused: 'no tests' },
  {
    name: 'activities read no setting',
    file: 'activities/d.ts',
    code: 'export const p = process.env.P;\n',
    refused: 'env',
  },
  { name: 'workers read settings', file: 'workers/b.ts', code: 'export const p = process.env.P;\n' },
  {
    name: 'a unit test stands apart from the rule',
    file: 'core/a.test.ts',
    code: `${value('vitest')}import '../test/support/eventually.ts';\n`,
  },
];

interface Report {
  diagnostics: readonly { filename: string; message: string; help?: string }[];
}

let folder: string;
let report: Report;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-import-rule-'));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const { file, code } of CASES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  report = JSON.parse(await lint(folder)) as Report;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ends with 1 when it found something, which here it should. */
function lint(cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules', '.bin', 'oxlint'), ['--format=json'], { cwd }, (_, stdout) => resolve(stdout));
  });
}

const foundIn = (file: string): string[] =>
  report.diagnostics.filter(({ filename }) => filename === file).map(({ message, help }) => `${message} ${help ?? ''}`);

describe('what the import rule refuses', () => {
  test.each(CASES.filter(({ refused }) => refused !== undefined))('$name', ({ file, refused }) => {
    expect(foundIn(file)).toEqual([expect.stringContaining(refused ?? '')]);
  });
});

describe('what the import rule allows', () => {
  test.each(CASES.filter(({ refused }) => refused === undefined))('$name', ({ file }) => {
    expect(foundIn(file)).toEqual([]);
  });
});
