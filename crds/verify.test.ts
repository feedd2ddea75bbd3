import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateInto } from './generate.ts';
import { differenceToGenerated } from './verify.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-verify-test-'));
  await generateInto(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('two runs write the same', async () => {
  expect(await differenceToGenerated(root)).toBe('');
});

test('a file changed by hand is shown', async () => {
  await writeFile(join(root, 'crds/generated/hookruns.yaml'), 'kind: Changed\n');
  expect(await differenceToGenerated(root)).toContain('-kind: Changed');
});

test('a file that nobody generates any more is shown', async () => {
  await writeFile(join(root, 'crds/generated/forgotten.yaml'), 'kind: Forgotten\n');
  expect(await differenceToGenerated(root)).toContain('-kind: Forgotten');
});
