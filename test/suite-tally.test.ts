import { describe, expect, test } from 'vitest';
import { addTallies, sentenceOf, tallyCheck, tallyReport } from './suite-tally.ts';

const file = (status: string, statuses: string[], message?: string) => ({
  name: 'core/x.test.ts',
  status,
  message,
  assertionResults: statuses.map((each, index) => ({ fullName: `test ${index}`, status: each })),
});

const report = (...testResults: object[]) => JSON.stringify({ testResults });

describe('a vitest report', () => {
  const cases = [
    { name: 'all passed', report: report(file('passed', ['passed', 'passed'])), exit: 0, want: [2, 0] },
    { name: 'one failed', report: report(file('failed', ['passed', 'failed'])), exit: 1, want: [1, 1] },
    {
      name: 'a skipped test is a failure',
      report: report(file('passed', ['passed', 'skipped'])),
      exit: 0,
      want: [1, 1],
    },
    {
      name: 'a file that does not load',
      report: report(file('failed', [], 'no such module\nat')),
      exit: 1,
      want: [0, 1],
    },
    { name: 'a hook that failed after its tests', report: report(file('failed', ['passed'])), exit: 1, want: [1, 1] },
    { name: 'an error outside all tests', report: report(file('passed', ['passed'])), exit: 1, want: [1, 1] },
    { name: 'no report at all', report: undefined, exit: 134, want: [0, 1] },
  ];
  test.each(cases)('$name', ({ report: text, exit, want }) => {
    const { passed, failed, failures } = tallyReport('unit', text, exit);
    expect([passed, failed]).toEqual(want);
    expect(failures).toHaveLength(failed);
  });

  test('says why a file did not load in one line', () => {
    const { failures } = tallyReport('unit', report(file('failed', [], 'no such module\nat x')), 1);
    expect(failures).toEqual(['core/x.test.ts: no such module']);
  });
});

test('checks and runs add up to the last line', () => {
  const total = addTallies(tallyCheck('types', true), tallyCheck('lint', false));
  expect(sentenceOf(total)).toBe('1 passed, 1 failed');
  expect(total.failures).toEqual(['lint']);
});
