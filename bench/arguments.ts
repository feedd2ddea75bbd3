/** What `npm run bench` is told. */
import { parseArgs } from 'node:util';

export interface BenchArguments {
  /** Created and updated in place, beside the same number by the bare loop. */
  pods: number;
  /** Updated while each takes long to be ready; 0 leaves this part out. */
  slowPods: number;
  /** The longest that one of them takes. */
  slowSeconds: number;
  json: boolean;
  help: boolean;
}

export const HELP = `Usage: npm run bench -- [options]

Creates and then updates pods in place, once by a bare loop and once by the operator, on real servers of its own; then updates
pods that take long to be ready and counts the history that this costs.

  --pods N           pods of the first part (default 500)
  --slow-pods N      pods of the second part (default 1000; 0 leaves it out)
  --slow-seconds N   the longest that one of those takes to restart (default 40)
  --json             print the numbers as JSON instead of a table
  --help             show this text
`;

/** @throws Error in one sentence when an argument makes no sense. */
export function readBenchArguments(args: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pods: { type: 'string', default: '500' },
      'slow-pods': { type: 'string', default: '1000' },
      'slow-seconds': { type: 'string', default: '40' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    pods: readCount('--pods', values.pods, 1),
    slowPods: readCount('--slow-pods', values['slow-pods'], 0),
    slowSeconds: readCount('--slow-seconds', values['slow-seconds'], 1),
    json: values.json,
    help: values.help,
  };
}

/** @throws Error in one sentence that names the flag. */
export function readCount(flag: string, text: string, least: number): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new Error(`${flag} must be a whole number from ${least} to 99999, not "${text}"`);
}
