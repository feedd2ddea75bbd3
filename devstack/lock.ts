/**
 * One builder at a time per cache directory. The lock is a file that names its owner's process; a lock whose owner is
 * gone is taken over, so a killed build never blocks the next one.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A takeover takes milliseconds: a guard older than this belongs to a process that died in the middle of one. */
const STALE_GUARD_MS = 10_000;

interface Owner {
  pid: number;
  /** When the process started, in ticks since boot: tells it from a later process with the same number. */
  startedAt: string;
}

/**
 * Runs `work` while holding the lock at `path`. While another living process holds it, waits and calls `onWait` once
 * with that process's id; `signal` ends the waiting.
 */
export async function withLock<T>(
  path: string,
  onWait: (pid: number) => void,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let told = false;
  while (!tryLock(path)) {
    const owner = readOwner(path);
    if (owner !== undefined && isAlive(owner)) {
      if (!told) onWait(owner.pid);
      told = true;
      await delay(250, undefined, { signal });
    } else {
      removeStale(path);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Creates the lock whole or not at all: a link appears with its content. */
function tryLock(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const owner: Owner = { pid: process.pid, startedAt: startTime(process.pid) ?? '' };
  writeFileSync(draft, JSON.stringify(owner));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes a lock whose owner is gone. A guard directory keeps two processes from removing one after the other. */
function removeStale(path: string): void {
  const guard = `${path}.takeover`;
  try {
    mkdirSync(guard);
  } catch {
    removeOldGuard(guard);
    return;
  }
  try {
    const owner = readOwner(path);
    if (owner === undefined || !isAlive(owner)) rmSync(path, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

function removeOldGuard(guard: string): void {
  const made = statSync(guard, { throwIfNoEntry: false })?.mtimeMs;
  if (made !== undefined && Date.now() - made > STALE_GUARD_MS) rmSync(guard, { recursive: true, force: true });
}

function readOwner(path: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(owner: Owner): boolean {
  return startTime(owner.pid) === owner.startedAt;
}

/** The start time of a living process, or undefined when there is none with this number. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may hold blanks; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
