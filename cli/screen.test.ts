import { describe, expect, test } from 'vitest';
import { repaint, type TerminalSize } from './screen.ts';

/** A terminal as far as these pages need one: rows of cells, a cursor, and a screen that scrolls. */
class Terminal {
  readonly #size: TerminalSize;
  #cells: string[];
  #row = 0;
  #column = 0;
  /** Rows that something was written to since it was last asked. */
  #touched = new Set<number>();

  constructor(size: TerminalSize) {
    this.#size = size;
    this.#cells = Array(size.rows).fill('');
  }

  get shown(): string {
    return this.#cells.join('\n').trimEnd();
  }

  takeTouched(): number[] {
    const touched = [...this.#touched].sort((a, b) => a - b);
    this.#touched = new Set();
    return touched;
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told by
    for (const [, row, command, character = ''] of text.matchAll(/\x1b\[(?:(\d+);1)?([HJK]|2J|2K)|([\s\S])/g)) {
      if (command === 'H') [this.#row, this.#column] = [Number(row ?? 1) - 1, 0];
      else if (command === '2J') this.#cells = Array(this.#size.rows).fill('');
      else if (command === '2K') this.#cells[this.#row] = '';
      else this.#put(character);
    }
  }

  #put(character: string): void {
    if (character === '\n' || this.#column === this.#size.columns) this.#next();
    if (character === '\n') return;
    const line = (this.#cells[this.#row] ?? '').padEnd(this.#column);
    this.#cells[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1);
    this.#touched.add(this.#row);
    this.#column++;
  }

  #next(): void {
    this.#column = 0;
    if (this.#row < this.#size.rows - 1) this.#row++;
    else this.#cells = [...this.#cells.slice(1), ''];
  }
}

const AGES = ['lobby', 'paused for 9s', 'a command that is longer than the terminal is wide', '', 'Ctrl-C stops'];
const page = (age: string) => AGES.join('\n').replace('9s', age);

/** The last rows that a terminal of this size has of a page: what a person sees of it. */
function asFirstPage(text: string, size: TerminalSize): string {
  const terminal = new Terminal(size);
  terminal.write(repaint(text, undefined, size));
  return terminal.shown;
}

describe.each([
  ['that has room', { columns: 80, rows: 24 }],
  ['where lines are wrapped', { columns: 20, rows: 24 }],
  ['on which it just fits', { columns: 80, rows: 6 }],
  ['that is too small, so that its beginning has scrolled away', { columns: 20, rows: 5 }],
])('on a terminal %s', (_, size) => {
  test.each([
    ['an age goes on', page('10s')],
    ['a line gets shorter', page('')],
    ['a line is added', `${page('9s')}\none more`],
    ['a line goes', page('9s').replace('\n\n', '\n')],
    ['a line grows over the edge', page(`${'9'.repeat(90)}s`)],
    ['all is another', 'done'],
  ])('%s: it shows what it would show of a new page', (_what, next) => {
    const terminal = new Terminal(size);
    terminal.write(repaint(page('9s'), undefined, size));
    terminal.write(repaint(next, page('9s'), size));
    expect(terminal.shown).toBe(asFirstPage(next, size));
  });
});

test('only the row of the age is written to, and nothing where nothing changed', () => {
  const size = { columns: 80, rows: 24 };
  const terminal = new Terminal(size);
  terminal.write(repaint(page('9s'), undefined, size));
  terminal.takeTouched();
  terminal.write(repaint(page('10s'), page('9s'), size));
  expect(terminal.takeTouched()).toEqual([1]);
  expect(repaint(page('9s'), page('9s'), size)).toBe('');
});
