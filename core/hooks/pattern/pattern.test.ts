import { describe, expect, it } from 'vitest';
import { Random } from '../../model/random.ts';
import { compilePattern, matchesPattern } from './pattern.ts';
import { PatternError } from './syntax.ts';

const matches = (pattern: string, text: string): boolean => matchesPattern(compilePattern(pattern), text, () => {});

describe('a pattern and a text', () => {
  const table: [pattern: string, text: string, want: boolean][] = [
    ['', 'anything', true],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^abc$', 'abc', true],
    ['^abc$', 'abc\n', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['a|b|', 'x', true],
    ['^(a|b)c$', 'bc', true],
    ['^v\\d+\\.\\d+$', 'v12.3', true],
    ['^v\\d+\\.\\d+$', 'v12x3', false],
    ['^\\w+\\s\\W\\D\\S$', 'ab_1 -xy', true],
    ['^[a-c]+$', 'abcabc', true],
    ['^[^a-c]+$', 'xyz', true],
    ['^[^a-c]+$', 'xaz', false],
    ['^[]a-]+$', ']a-', true],
    ['^[\\d.]+$', '1.2', true],
    ['^[[:alpha:]_]+$', 'aB_', true],
    ['^[[:^alpha:]]+$', '12', true],
    ['^\\p{L}+$', 'äßж', true],
    ['^\\p{Greek}$', 'λ', true],
    ['^\\PL$', 'a', false],
    ['^(?i)straße$', 'STRAßE', true],
    ['^(?i:ab)c$', 'ABc', true],
    ['^(?i:ab)c$', 'ABC', false],
    ['(?i)ß', 'S', false],
    ['(?i)s', 'ſ', true],
    ['(?i)[s]', 'ſ', true],
    ['(?i)[^s]', 'ſ', false],
    ['(?i)[^k]', 'K', false],
    ['(?i)K', '\u212a', true],
    ['^a{2,3}$', 'aa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}$', 'aaaa', true],
    ['^a{0}$', '', true],
    ['^a{$', 'a{', true],
    ['^a{2,3$', 'a{2,3', true],
    ['^(ab){2}$', 'abab', true],
    ['^a+?b*?c??$', 'aab', true],
    ['^(?P<n>a)(?<m>b)(?:c)$', 'abc', true],
    ['\\bok\\b', 'is ok.', true],
    ['\\bok\\b', 'token', false],
    ['\\Bok\\B', 'tokens', true],
    ['^\\x41\\x{1F600}\\101\\t$', 'A😀A\t', true],
    ['^\\Qa.b*\\E+$', 'a.b**', true],
    ['^.$', '😀', true],
    ['\\Aa\\z', 'a', true],
    ['^(a*)*$', 'aaaa', true],
    ['^(|a)+$', 'aaa', true],
    ['^(a|b)*c|d$', 'xd', true],
  ];
  it.each(table)('%s on %j is %j', (pattern, text, want) => {
    expect(matches(pattern, text)).toBe(want);
  });
});

describe('what is no pattern', () => {
  const table: [pattern: string, part: string][] = [
    ['(a', 'a ( is not closed'],
    ['a)', 'a ) closes no group'],
    ['[a', 'a [ is not closed'],
    ['[z-a]', 'counts down'],
    ['*a', 'nothing to repeat'],
    ['a(?i)*', 'nothing to repeat'],
    ['a**', 'repetition is repeated'],
    ['a{3,2}', 'must count up'],
    ['a{1001}', 'at most 1000'],
    [`a{1,${'9'.repeat(320)}}`, 'at most 1000'],
    ['(a)\\1', 'refers back'],
    ['(?=a)', 'RE2 does not have'],
    ['(?<!a)b', 'RE2 does not have'],
    ['\\y', '\\y is not an escape'],
    ['\\', 'stands at the end'],
    ['\\p{Nonsense}', '\\p{Nonsense} is no class'],
    ['[[:nonsense:]]', '[:nonsense:] is no class'],
    ['\\x{110000}', 'beyond'],
    ['((a{1000}){1000}){1000}', 'more than 5000 parts'],
    ['(((){1000}){1000}){1000}', 'more than 5000 parts'],
    ['('.repeat(100), 'nested deeper'],
    [`[${'\\x41'.repeat(100)}]{100}`, 'more than 5000 parts'],
    ['(?i:[a-z0-9]){500}', 'more than 5000 parts'],
    ['\\pL{1000}\\pN{1000}', 'more than 5000 parts'],
  ];
  it.each(table)('%s', (pattern, part) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
    expect(() => compilePattern(pattern)).toThrow(part);
  });
});

describe('work', () => {
  const stepsOf = (pattern: string, text: string): number => {
    let steps = 0;
    matchesPattern(compilePattern(pattern), text, (more) => {
      steps += more;
    });
    return steps;
  };

  it.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    '%s grows with the text, not faster',
    (pattern) => {
      const letter = pattern.includes('x') ? 'x' : 'a';
      const [short, long] = [
        stepsOf(pattern, `${letter.repeat(2_000)}!`),
        stepsOf(pattern, `${letter.repeat(20_000)}!`),
      ];
      expect(long).toBeLessThan(11 * short + 2_048);
    },
  );

  it('a class costs what it tests', () => {
    const text = 'a'.repeat(10_000);
    const of = (items: number) => stepsOf(`^[${'b'.repeat(items - 1)}a]*$`, text);
    const item = (of(101) - of(1)) / 100;
    expect(item).toBeGreaterThanOrEqual(text.length);
    expect(stepsOf('^\\pL*$', text)).toBeGreaterThan(of(1) + 2 * item);
    expect(stepsOf('^(?i)[a]*$', text)).toBeGreaterThan(of(1) + 2 * item);
    expect(stepsOf('^[[:word:]a-zA-Z]*$', text)).toBe(of(3));
  });

  it('what one character takes is told as a whole, also of a short text', () => {
    expect(stepsOf('(a?){1000}b', 'a')).toBeGreaterThan(2_000);
    expect(stepsOf('(a?){1000}b', 'a'.repeat(10))).toBeGreaterThan(20_000);
  });

  it('a pattern has a length', () => {
    expect(matches(`^${'a'.repeat(4095)}`, 'a'.repeat(4095))).toBe(true);
    expect(() => compilePattern(`^${'a'.repeat(4096)}`)).toThrow(PatternError);
    expect(() => compilePattern('{1'.repeat(500_000))).toThrow('longer than 4096 characters');
  });

  it('ends when whoever counts it throws', () => {
    const spend = () => {
      throw new Error('enough');
    };
    expect(() => matchesPattern(compilePattern('(a|b)*c'), 'ab'.repeat(10_000), spend)).toThrow('enough');
  });
});

describe('fuzz', () => {
  /** Only what both engines read alike, without `$` and `^` in odd places. */
  const pieces = ['a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\d', 'a*', 'b+', 'c?', 'a{1,2}', '|', '^', '$', '\\b'];
  const letters = ['a', 'b', 'c', '1', ' ', '\n'];

  it.each([1, 2, 3])('answers as the engine of JavaScript does (seed %i)', (seed) => {
    const random = new Random(seed);
    const pick = (items: readonly string[]) => random.pick(items) as string;
    const text = (items: readonly string[], most: number) =>
      Array.from({ length: random.below(most) }, () => pick(items)).join('');
    for (let round = 0; round < 5_000; round += 1) {
      const part = () => text(pieces, 4);
      const pattern = random.chance(0.5) ? part() : `${part()}(${part()})${pick(['', '*', '+', '?', '{2}'])}${part()}`;
      const subject = text(letters, 8);
      expect([pattern, subject, matches(pattern, subject)]).toEqual([
        pattern,
        subject,
        new RegExp(pattern, 'u').test(subject),
      ]);
    }
  });

  it.each([4, 5])('random text throws nothing but its own error (seed %i)', (seed) => {
    const random = new Random(seed);
    const characters = Array.from('ab01()[]{}*+?|\\^$.-:,<>!=PpQEdDxUims\u0000😀');
    for (let round = 0; round < 20_000; round += 1) {
      const pattern = Array.from({ length: 1 + random.below(14) }, () => random.pick(characters)).join('');
      try {
        expect(typeof matches(pattern, 'ab01(😀')).toBe('boolean');
      } catch (error) {
        if (!(error instanceof PatternError)) throw new Error(`seed ${seed}: ${pattern}`, { cause: error });
      }
    }
  });
});
