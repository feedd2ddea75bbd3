/**
 * The controller as a child process that tests kill, freeze and wake. Knows the command it is given and its `/readyz`;
 * nothing of what the controller does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { childEnvironment } from '../../devstack/child-environment.ts';
import { eventually } from '../support/eventually.ts';

export interface ControllerOptions {
  command: string;
  args: readonly string[];
  /** Added to the environment of the tests, of which settings of other servers are left out. */
  env?: Record<string, string>;
  cwd?: string;
  /** Answers 200 once the controller works, e.g. `http://127.0.0.1:1234/readyz`. */
  readyUrl: string;
  readyTimeoutMs?: number;
  /** Told every line of output; what outlives a run, such as a log of all restarts, hangs here. */
  onLine?: (line: string) => void;
}

export interface ControllerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const KEPT_LINES = 2_000;
const SHOWN_LINES = 40;

/** One run of the controller. Its output is kept, the last 2,000 lines. */
export class ControllerProcess {
  readonly exited: Promise<ControllerExit>;
  readonly #options: ControllerOptions;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #exit: ControllerExit | undefined;

  constructor(options: ControllerOptions) {
    const { command, args, cwd, env } = options;
    this.#options = options;
    this.#child = spawn(command, args, { cwd, env: childEnvironment(env ?? {}), stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = this.#watchExit();
    this.#keepLines();
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Output so far, both streams as they came. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Waits until `/readyz` says 200. @throws Error with the last lines of output when it exits or takes too long. */
  async whenReady(): Promise<void> {
    const { readyUrl, readyTimeoutMs = 60_000 } = this.#options;
    const gone = this.exited.then((exit) => Promise.reject(new Error(`it exited with ${exit.code ?? exit.signal}`)));
    const ready = eventually(`${readyUrl} answers 200`, () => answersOk(readyUrl), { timeoutMs: readyTimeoutMs });
    try {
      await Promise.race([ready, gone]);
    } catch (cause) {
      ready.catch(() => undefined);
      throw new Error(`the controller did not become ready: ${(cause as Error).message}\n${this.tail()}`, { cause });
    }
  }

  /** kill -9: no handler runs, connections are reset by the kernel. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** Asks it to stop (SIGTERM) and waits. @throws Error with its last lines when it has to be killed after `graceMs`. */
  async stop(graceMs = 20_000): Promise<ControllerExit> {
    this.#child.kill('SIGTERM');
    this.thaw();
    try {
      await eventually('the controller stopped', () => !this.isRunning, { timeoutMs: graceMs });
    } catch (cause) {
      await this.kill();
      throw new Error(`the controller did not stop within ${graceMs} ms\n${this.tail()}`, { cause });
    }
    return this.exited;
  }

  /** SIGSTOP: a zombie that keeps its connections and knows nothing of the time that goes by. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  /** SIGCONT. */
  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** The last lines of output, for messages. */
  tail(count = SHOWN_LINES): string {
    return this.#lines.length > 0 ? this.#lines.slice(-count).join('\n') : '(no output)';
  }

  async #watchExit(): Promise<ControllerExit> {
    killedWithTests.add(this.#child);
    const failed = once(this.#child, 'error').then(([error]) => this.#lines.push(String(error)));
    const exit = once(this.#child, 'exit').then(([code, signal]) => ({ code, signal }) as ControllerExit);
    // A command that cannot be spawned errors and never exits.
    this.#exit = await Promise.race([exit, failed.then((): ControllerExit => ({ code: 127, signal: null }))]);
    killedWithTests.delete(this.#child);
    return this.#exit;
  }

  #keepLines(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        this.#options.onLine?.(line);
        this.#lines.push(line);
        if (this.#lines.length > KEPT_LINES) this.#lines.shift();
      });
    }
  }
}

/** Children that must not outlive a test run that ends early. */
const killedWithTests = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of killedWithTests) child.kill('SIGKILL');
});

async function answersOk(url: string): Promise<boolean> {
  const answer = await request(url, { headersTimeout: 2_000, bodyTimeout: 2_000, reset: true });
  await answer.body.dump();
  return answer.statusCode === 200;
}

/** Starts the controller and waits until it is ready. @throws Error with its last lines; it is then killed. */
export async function startController(options: ControllerOptions): Promise<ControllerProcess> {
  const controller = new ControllerProcess(options);
  try {
    await controller.whenReady();
  } catch (error) {
    await controller.kill();
    throw error;
  }
  return controller;
}

/** A controller that is started again whenever it ends, as a Deployment would do it. */
export interface SupervisedController {
  /** The run of this moment; a new one after each end. */
  readonly current: ControllerProcess;
  /** How often it was started again. */
  readonly restarts: number;
  /** Ends the supervision and the controller. */
  stop(): Promise<void>;
}

/**
 * Starts the controller, waits until it is ready, and starts it anew at each end, at once and without end: what the tests
 * judge is the outcome, not the number of tries.
 */
export async function superviseController(options: ControllerOptions): Promise<SupervisedController> {
  let current = await startController(options);
  let restarts = 0;
  let isStopping = false;
  const supervising = (async () => {
    for (;;) {
      await current.exited;
      if (isStopping) return;
      restarts++;
      current = new ControllerProcess(options);
    }
  })();
  return {
    get current() {
      return current;
    },
    get restarts() {
      return restarts;
    },
    stop: async () => {
      isStopping = true;
      await current.kill();
      await supervising;
    },
  };
}
