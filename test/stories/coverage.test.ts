/** COVERAGE.md lists every row once, and names only stories and tests that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STORIES } from './all.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Row {
  number: string;
  seenIn: string;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const without = (last: number, absent: number[]): number[] => upTo(last).filter((number) => !absent.includes(number));

/** Numbers as the specifications have them; those they left out are left out here. */
const PEERS_SCENARIOS = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85];
const PEERS_REPORTS = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48];
/** Rows 55, 70, 80 and 115 stand in decisions.md only. */
const CASES = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 65, 75, 85, 90, 95, 100, 105, 110];
/** Rows of the truth tables that are there: M to 24, W to 14, L to 31, R to 18. */
const TRUTH_TABLES = [
  ...without(24, [5, 10, 15, 20]).map((row) => `M${row}`),
  ...without(14, [5, 10, 11]).map((row) => `W${row}`),
  ...without(31, [5, 10, 15, 20, 25, 30]).map((row) => `L${row}`),
  ...without(18, [5, 10, 15]).map((row) => `R${row}`),
];

/** Numbers as titles have them: `Rows 71 and 70`, `peers 26 to 29` or, at the beginning, a number alone. */
const LIST = String.raw`((?:\d+(?:, (?:and )?| and | to )?)+)`;

interface Section {
  title: string;
  numbers: (number | string)[];
  /** How what shows a row names it; absent where it need not. */
  named?: RegExp;
}

const SECTIONS: Section[] = [
  { title: 'game-workloads §5', numbers: upTo(64) },
  { title: 'game-workloads §6.2', numbers: without(119, CASES), named: new RegExp(`(?:^|\\b[Rr]ows? )${LIST}`, 'g') },
  { title: 'in-place-peers §4', numbers: without(86, PEERS_SCENARIOS), named: new RegExp(`[Pp]eers ${LIST}`, 'g') },
  { title: 'in-place-peers §6', numbers: without(50, PEERS_REPORTS), named: new RegExp(`[Rr]eports? ${LIST}`, 'g') },
  { title: 'progressive-delivery §2.7', numbers: TRUTH_TABLES },
];

function sectionOf(title: string): Row[] {
  const text = readFileSync(join(import.meta.dirname, 'COVERAGE.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^\| ([A-Z]?\d+) +\| .*? +\| (.*) \|$/gm)].map((match) => ({
    number: match[1]!,
    seenIn: match[2]!,
  }));
}

/** Sources of tests by path; empty where there is no such file. */
const sources = new Map<string, string>();

function sourceOf(path: string): string {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const file = join(ROOT, path);
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  sources.set(path, source);
  return source;
}

const storiesIn = ({ seenIn }: Row): string[] => [...seenIn.matchAll(/story `([^`]+)`/g)].map(([, name = '']) => name);

function testsIn({ seenIn }: Row): { path: string; text: string }[] {
  const files = seenIn.split(/, (?=`)/).map((part) => ({
    path: /^`([^`]+\.ts)`/.exec(part)?.[1],
    texts: [...part.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text),
  }));
  return files.flatMap(({ path, texts }) => (path === undefined ? [] : texts.map((text) => ({ path, text }))));
}

const isLeftOut = ({ seenIn }: Row): boolean => seenIn.includes('left out: ');

/** What a row names and nobody has; a row that names nothing and gives no reason is named itself. */
function missingIn(row: Row): string[] {
  const names = new Set(STORIES.map(({ name }) => name));
  const [stories, tests] = [storiesIn(row), testsIn(row)];
  const lost = tests.filter(({ path, text }) => !sourceOf(path).includes(text));
  const isReasoned = stories.length + tests.length > 0 || isLeftOut(row);
  return [
    ...stories.filter((name) => !names.has(name)),
    ...lost.map(({ path, text }) => `${path} "${text}"`),
    ...(isReasoned ? [] : [`row ${row.number} names nothing`]),
  ];
}

/** Of what shows the row; `$row` in the name of a test stands for the rows of the table in its file. */
function titlesOf(row: Row): string[] {
  const stories = storiesIn(row);
  const inTable = new RegExp(`row: '?${row.number}\\b`);
  const titles = STORIES.filter(({ name }) => stories.includes(name)).map(({ title }) => title);
  const tests = testsIn(row).map(({ path, text }) =>
    inTable.test(sourceOf(path)) ? text.replace('$row', row.number) : text,
  );
  return [...titles, ...tests];
}

const numbersIn = (list: string): number[] =>
  [...list.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to = from]) => upTo(Number(to)).slice(Number(from) - 1));

const isNamed = (row: Row, named: RegExp): boolean =>
  titlesOf(row).some((title) =>
    [...title.matchAll(named)].some(([, list = '']) => numbersIn(list).includes(Number(row.number))),
  );

describe.each(SECTIONS)('$title', ({ title, numbers, named }) => {
  const rows = sectionOf(title);

  it('has each row once, in order', () => {
    expect(rows.map(({ number }) => number)).toEqual(numbers.map(String));
  });

  it('each row is named by what shows it', () => {
    const unnamed = rows.filter((row) => named !== undefined && !isLeftOut(row) && !isNamed(row, named));
    expect(unnamed).toEqual([]);
  });

  it('names stories and tests that exist', () => {
    expect(rows.flatMap(missingIn)).toEqual([]);
  });
});
