/** `npm run verify`: generates into a temporary directory and fails with the difference to what is committed. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { generatedFiles, generateInto } from './generate.ts';

/** @returns the difference as text, empty when there is none. */
export async function differenceToGenerated(root: string): Promise<string> {
  const fresh = await mkdtemp(join(tmpdir(), 'holdfast-verify-'));
  try {
    await generateInto(fresh);
    const folders = new Set(generatedFiles().map(({ path }) => path.slice(0, path.lastIndexOf('/'))));
    return [...folders].map((folder) => differenceOf(join(root, folder), join(fresh, folder))).join('');
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Whole folders are compared, so that a file nobody generates any more is found too. */
function differenceOf(committed: string, fresh: string): string {
  const git = spawnSync('git', ['--no-pager', 'diff', '--no-index', '--no-color', committed, fresh], {
    encoding: 'utf8',
  });
  if (git.error !== undefined) throw git.error;
  if (git.status !== 0 && git.stdout === '') throw new Error(`cannot compare ${committed}: ${git.stderr.trim()}`);
  return git.stdout;
}

if (import.meta.main) {
  const difference = await differenceToGenerated(resolve(import.meta.dirname, '..'));
  if (difference !== '') {
    process.stderr.write(
      `${difference}\nGenerated files differ from their sources: run "npm run generate" and commit.\n`,
    );
    process.exitCode = 1;
  }
}
