/**
 * Each story has its trace beside it, line by line what the planner does and why. A changed trace is a changed behaviour:
 * read it, then write it anew with UPDATE_STORIES=1 (CONTRIBUTING.md).
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STORIES } from './all.ts';
import { GoldenPlay } from './golden-play.ts';

const FOLDER = join(import.meta.dirname, 'traces');
const isUpdating = process.env.UPDATE_STORIES === '1';

const fileOf = (name: string): string => join(FOLDER, `${name}.txt`);

function readTrace(name: string): string {
  const file = fileOf(name);
  return existsSync(file) ? readFileSync(file, 'utf8') : `${file} is not there: UPDATE_STORIES=1 writes it.`;
}

it.each(STORIES)('$name: $title', (story) => {
  const { trace, violations } = new GoldenPlay(story).run();
  if (isUpdating) writeFileSync(fileOf(story.name), trace);
  expect(violations).toEqual([]);
  expect(trace).toBe(readTrace(story.name));
});

it('each trace belongs to one story', () => {
  const names = STORIES.map(({ name }) => `${name}.txt`);
  const strays = readdirSync(FOLDER).filter((file) => !names.includes(file));
  if (isUpdating) for (const file of strays) rmSync(join(FOLDER, file));
  else expect(strays).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
