import { expect, test } from 'vitest';
import { diffLines } from './diff.ts';

const text = (...lines: string[]) => `${lines.join('\n')}\n`;

test('equal texts differ in nothing', () => {
  expect(diffLines(text('a', 'b'), text('a', 'b'))).toBe('');
});

test('a line that changed, with its surroundings', () => {
  expect(diffLines(text('a', 'b', 'c'), text('a', 'x', 'c'))).toBe(' a\n-b\n+x\n c');
});

test('lines that came, and lines that went', () => {
  expect(diffLines(text('a', 'c'), text('a', 'b', 'c', 'd'))).toBe(' a\n+b\n c\n+d');
  expect(diffLines(text('a', 'b', 'c', 'd'), text('a', 'c'))).toBe(' a\n-b\n c\n-d');
});

test('what is far from any change is left out', () => {
  const far = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  expect(diffLines(text('a', ...far, 'b'), text('x', ...far, 'y'))).toBe(
    ['-a', '+x', ' line 0', ' line 1', ' line 2', '…', ' line 17', ' line 18', ' line 19', '-b', '+y'].join('\n'),
  );
});
