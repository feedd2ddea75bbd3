/**
 * One server of a stack: started in a process group of its own with its log in a file, and stopped, killed, frozen or
 * restarted with the same ports and data. It knows nothing about what the server is.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { childEnvironment } from './child-environment.ts';
import { GaveUp, waitFor } from './wait.ts';
import type { Watchdog } from './watchdog.ts';

export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  logPath: string;
  /** Added to the environment of this process, of which settings of other servers are left out. */
  env?: Record<string, string>;
  /** True once the server does its work; called until it is, errors count as "not yet". */
  isReady: () => Promise<boolean>;
  readyTimeoutMs?: number;
  /** Runs before every start. */
  beforeStart?: () => Promise<void>;
  /** Runs after every start but the first: what must be done when this server came back. */
  afterRestart?: () => Promise<void>;
}

/** All servers here are Go programs. Memory is at hand, processors are not: garbage is collected a third as often. */
const GO_RUNTIME = { GOGC: '300', GOMEMLIMIT: '2GiB' };

/** Told when the server exits although nobody asked it to. */
export type CrashListener = (crashed: ServerProcess) => void;

export class ServerProcess {
  readonly spec: ProcessSpec;
  readonly #watchdog: Watchdog;
  readonly #onCrash: CrashListener;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #endWanted = false;
  #wasReady = false;

  constructor(spec: ProcessSpec, watchdog: Watchdog, onCrash: CrashListener) {
    this.spec = spec;
    this.#watchdog = watchdog;
    this.#onCrash = onCrash;
  }

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the server and waits until it is ready. @throws Error with the end of its log when it does not come up. */
  async start(): Promise<void> {
    await this.spec.beforeStart?.();
    this.#launch();
    try {
      await waitFor(() => this.#checkReady(), {
        what: `start of ${this.name}`,
        timeoutMs: this.spec.readyTimeoutMs ?? 60_000,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${reason}\n--- last lines of ${this.spec.logPath}\n${this.tail()}`);
    }
    if (this.#wasReady) await this.spec.afterRestart?.();
    this.#wasReady = true;
  }

  async #checkReady(): Promise<boolean> {
    if (!this.isRunning) throw new GaveUp(`${this.name} ended before it was ready`);
    return this.spec.isReady();
  }

  #launch(): void {
    if (this.#child !== undefined) throw new Error(`${this.name} is already running`);
    this.#endWanted = false;
    const log = openSync(this.spec.logPath, 'a');
    const env = { ...GO_RUNTIME, ...childEnvironment(this.spec.env ?? {}) };
    const child = spawn(this.spec.command, this.spec.args, { detached: true, stdio: ['ignore', log, log], env });
    closeSync(log);
    this.#child = child;
    if (child.pid !== undefined) this.#watchdog.add(child.pid);
    this.#exited = new Promise((resolve) => {
      child.once('error', () => this.#ended(child, resolve));
      child.once('exit', () => this.#ended(child, resolve));
    });
  }

  #ended(child: ChildProcess, resolve: () => void): void {
    if (this.#child === child) this.#child = undefined;
    if (child.pid !== undefined) this.#watchdog.remove(child.pid);
    resolve();
    if (!this.#endWanted) this.#onCrash(this);
  }

  /** Asks the server to end and kills it when it has not after `graceMs`. Harmless when it does not run. */
  async stop(graceMs = 5_000): Promise<void> {
    this.#signal('SIGTERM');
    this.#signal('SIGCONT');
    const timer = setTimeout(() => this.#signal('SIGKILL'), graceMs);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Sends a signal that ends the server (SIGKILL unless told) and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#signal(signal);
    await this.#exited;
  }

  /** Stops the server in its tracks (SIGSTOP): its connections stay open and say nothing. */
  freeze(): void {
    this.#signal('SIGSTOP', false);
  }

  /** Wakes a frozen server. */
  resume(): void {
    this.#signal('SIGCONT', false);
  }

  /** Starts the server again on its ports and data, ending it first when it still runs. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (signal === 'SIGKILL') await this.kill();
    else await this.stop();
    await this.start();
  }

  /** The last lines of the server's log. */
  tail(lines = 20): string {
    if (!existsSync(this.spec.logPath)) return '(no log)';
    return readFileSync(this.spec.logPath, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }

  #signal(signal: NodeJS.Signals, endWanted = true): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    if (endWanted) this.#endWanted = true;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
