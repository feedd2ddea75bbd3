/** Counts tests over several vitest runs and the checks beside them. It runs nothing. */

export interface Tally {
  passed: number;
  failed: number;
  /** One line for each failure that a reader should find without scrolling. */
  failures: readonly string[];
}

/** What is read of vitest's JSON report. */
interface JsonReport {
  testResults: readonly {
    name: string;
    status: string;
    message?: string;
    assertionResults: readonly { fullName: string; status: string }[];
  }[];
}

export const EMPTY: Tally = { passed: 0, failed: 0, failures: [] };

export function addTallies(first: Tally, second: Tally): Tally {
  return {
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    failures: [...first.failures, ...second.failures],
  };
}

/** A check that is no vitest test counts as one. */
export function tallyCheck(name: string, isPassed: boolean): Tally {
  return isPassed ? { passed: 1, failed: 0, failures: [] } : failure(name);
}

/**
 * A file that could not be loaded, a skipped test and a run that failed for a reason outside its tests are failures too:
 * nothing that did not run may look as if it had passed.
 */
export function tallyReport(name: string, report: string | undefined, exitCode: number): Tally {
  if (report === undefined) return failure(`${name}: vitest wrote no report (exit code ${exitCode})`);
  const { testResults } = JSON.parse(report) as JsonReport;
  const tally = testResults.map(tallyFile).reduce(addTallies, EMPTY);
  if (exitCode === 0 || tally.failed > 0) return tally;
  return addTallies(tally, failure(`${name}: vitest ended with ${exitCode} although no test failed`));
}

function tallyFile(file: JsonReport['testResults'][number]): Tally {
  const bad = file.assertionResults.filter(({ status }) => status !== 'passed');
  const failures = bad.map(({ fullName, status }) => `${file.name}: ${fullName} (${status})`);
  const passed = file.assertionResults.length - bad.length;
  if (bad.length > 0 || file.status === 'passed') return { passed, failed: bad.length, failures };
  return addTallies({ passed, failed: 0, failures: [] }, failure(`${file.name}: ${firstLine(file.message)}`));
}

const firstLine = (message = 'failed outside its tests') => message.split('\n')[0] ?? '';

const failure = (text: string): Tally => ({ passed: 0, failed: 1, failures: [text] });

/** The last line of a run. */
export const sentenceOf = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`;
