/** Programs run by these tests, and a look at which processes are there. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** What the program printed. @throws Error with its messages when it fails. */
export async function run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { timeout: 60_000, env: env ?? process.env });
  return stdout;
}

export interface RunningProcess {
  pid: number;
  commandLine: string;
}

/** The processes whose command line holds `text`: a stack's servers name its directory. */
export function findProcesses(text: string): RunningProcess[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const all = pids.map((pid) => ({ pid: Number(pid), commandLine: readCommandLine(pid) }));
  return all.filter(({ commandLine }) => commandLine.includes(text));
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
