/** Which lines of a text became others, as `diff -u` shows it. Pure. */

const CONTEXT = 3;

interface Line {
  sign: ' ' | '-' | '+';
  text: string;
}

/** Empty where the texts are equal. Lines far from a change are left out. */
export function diffLines(before: string, after: string): string {
  if (before === after) return '';
  const lines = compared(before.trimEnd().split('\n'), after.trimEnd().split('\n'));
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, at) => {
    if (isNear(at)) return [line.sign + line.text];
    return at > 0 && isNear(at - 1) ? ['…'] : [];
  });
  return (shown.at(-1) === '…' ? shown.slice(0, -1) : shown).join('\n');
}

/** The longest common lines stay; templates are short enough for the whole table. */
function compared(before: string[], after: string[]): Line[] {
  const common = commonLengths(before, after);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i]! });
      i += 1;
      j += 1;
    } else if (j === after.length || (i < before.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ sign: '-', text: before[i++]! });
    } else {
      lines.push({ sign: '+', text: after[j++]! });
    }
  }
  return lines;
}

/** How many lines the ends of both have in common, from each pair of places on. */
function commonLengths(before: string[], after: string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const isSame = before[i] === after[j];
      lengths[i]![j] = isSame ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
