/**
 * Runs a TypeScript entry point from a fresh clone: installs the locked dependencies when they are missing or others, then
 * starts the entry point under the project's own Node. Plain JavaScript, because any Node from 18 on must understand it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every required package of the lock file is installed at its version. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const required = Object.entries(want).filter(([path, entry]) => path !== '' && !entry.optional);
  return required.every(([path, entry]) => have[path]?.version === entry.version);
}

function install() {
  console.error('holdfast: installing the locked npm packages into node_modules (a minute or two)');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm's own output would mix with what the entry point prints on stdout.
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** Where npm brings no Node for this platform, a new enough one of the machine serves. */
function nodePath() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  console.error(`holdfast: needs Node 22.19 or newer, this is ${process.versions.node}`);
  process.exit(1);
}

function start([entry, ...args]) {
  // Threads: cli/main.ts says why. Some versions of Node need one before they can read it.
  const threads = { UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '64' };
  const env = { ...process.env, ...threads, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
  const child = spawn(nodePath(), ['--', join(root, entry), ...args], { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the child too, and a second one would mean "at once".
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !hasTerminal) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
}

if (!isInstalled()) install();
start(process.argv.slice(2));
