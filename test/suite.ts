/**
 * npm test: builds the servers that tests need, then runs every check and every test and ends with "N passed, N failed".
 * Nothing stops it early: a reader wants all that is wrong, not the first of it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BINARY_NAMES } from '../devstack/binaries.ts';
import { buildBinaries, formatElapsed } from '../devstack/build.ts';
import { addTallies, EMPTY, sentenceOf, type Tally, tallyCheck, tallyReport } from './suite-tally.ts';

const ROOT = dirname(import.meta.dirname);
const say = (line: string) => console.log(`\n== ${line}`);

/** Checks that are no vitest tests; each counts as one. */
const CHECKS: readonly { name: string; command: readonly string[] }[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'format and lint', command: ['biome', 'check', '--diagnostic-level=error', '.'] },
  { name: 'import rule and promises', command: ['oxlint', '--type-aware'] },
  { name: 'generated CRDs are what the schemas say', command: ['node', 'crds/verify.ts'] },
  { name: 'generated RBAC is what the code needs', command: ['node', 'deploy/generate.ts', '--verify'] },
];

type Part = () => Promise<Tally>;

async function buildServers(): Promise<Tally> {
  await buildBinaries(BINARY_NAMES, (line) => console.log(`devstack: ${line}`));
  return EMPTY;
}

function checkPart({ name, command }: (typeof CHECKS)[number]): Part {
  return async () => tallyCheck(name, (await run(command)) === 0);
}

/** Files of one project; extra arguments are vitest's, such as a file filter. */
function vitestPart(project: string, args: readonly string[]): Part {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
    const path = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const exitCode = await run(['vitest', 'run', '--project', project, ...reporters, ...args]);
    const report = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    rmSync(folder, { recursive: true, force: true });
    return tallyReport(project, report, exitCode);
  };
}

function run([program = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

async function runPart(name: string, part: Part): Promise<Tally> {
  say(name);
  const started = performance.now();
  const tally = await part().catch((error: unknown) => tallyCheck(`${name}: ${String(error)}`, false));
  say(`${name}: ${sentenceOf(tally)} in ${formatElapsed(performance.now() - started)}`);
  return tally;
}

function partsFor(wanted: string | undefined, args: readonly string[]): Record<string, Part> {
  const all: Record<string, Part> = {
    'servers for the tests': buildServers,
    ...Object.fromEntries(CHECKS.map((check) => [check.name, checkPart(check)])),
    unit: vitestPart('unit', args),
    integration: vitestPart('integration', args),
  };
  if (wanted === undefined) return all;
  const names = wanted === 'integration' ? ['servers for the tests', wanted] : [wanted];
  return Object.fromEntries(names.map((name) => [name, all[name] ?? noSuchPart(name)]));
}

const noSuchPart = (name: string): Part => {
  return async () => tallyCheck(`there is no part "${name}"`, false);
};

/** The report of every part, the failures once more, and the line that CI reads. */
async function main([wanted, ...args]: readonly string[]): Promise<number> {
  console.log(`Node ${process.version}, ${availableParallelism()} processors`);
  let total = EMPTY;
  for (const [name, part] of Object.entries(partsFor(wanted, args))) {
    total = addTallies(total, await runPart(name, part));
  }
  for (const line of total.failures) console.log(`failed: ${line.replace(`${ROOT}/`, '')}`);
  console.log(`\n${sentenceOf(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
