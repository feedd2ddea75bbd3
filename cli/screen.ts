/**
 * A page on a terminal that is shown again as it changes. What stays as it is is not touched: ages that go on do not take
 * away what a person is selecting, such as a command below them.
 */

export interface TerminalSize {
  columns: number;
  rows: number;
}

const CLEAR_SCREEN = '\x1b[H\x1b[2J';
const CLEAR_LINE = '\x1b[2K';
const goTo = (row: number): string => `\x1b[${row};1H`;

/** What a terminal is sent so that it shows `next`, where it shows `last`. Pure. */
export function repaint(next: string, last: string | undefined, { columns, rows }: TerminalSize): string {
  const after = next.split('\n');
  const before = last?.split('\n') ?? [];
  const heightOf = (line: string) => Math.max(1, Math.ceil([...line].length / columns));
  const isSameShape =
    after.length === before.length && after.every((line, at) => heightOf(line) === heightOf(before[at] ?? ''));
  if (!isSameShape) return `${CLEAR_SCREEN}${next}\n`;
  const heights = after.map(heightOf);
  const total = sum(heights);
  // The line feed at the end leaves an empty row; what is above the first row has scrolled away for good.
  const scrolled = Math.max(0, total + 1 - rows);
  const changes = after.map((line, at) => {
    const row = sum(heights.slice(0, at)) + 1 - scrolled;
    return line === before[at] || row < 1 ? '' : rewrite(line, row, heights[at] ?? 1);
  });
  const change = changes.join('');
  return change === '' ? '' : `${change}${goTo(total + 1 - scrolled)}`;
}

function rewrite(line: string, row: number, height: number): string {
  const cleared = Array.from({ length: height }, (_, at) => `${goTo(row + at)}${CLEAR_LINE}`);
  return `${cleared.join('')}${goTo(row)}${line}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The terminal of this process, from the first page on. */
export class Screen {
  #shown: (TerminalSize & { text: string }) | undefined;

  /** Text without a line feed at its end. */
  show(text: string): void {
    const { columns, rows } = process.stdout;
    const isResized = this.#shown?.columns !== columns || this.#shown.rows !== rows;
    process.stdout.write(repaint(text, isResized ? undefined : this.#shown?.text, { columns, rows }));
    this.#shown = { text, columns, rows };
  }
}
