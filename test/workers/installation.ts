/** A stack of real servers and the `holdfast` command against it, as a user types it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childEnvironment } from '../../devstack/child-environment.ts';
import { findPorts } from '../../devstack/ports.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { type ControllerOptions, ControllerProcess, startController } from '../faults/process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'temporal'] as const;

/** What a command said and how it ended. */
export interface Said {
  stdout: string;
  stderr: string;
  code: number;
}

export class Installation {
  readonly stack: Devstack;

  private constructor(stack: Devstack) {
    this.stack = stack;
  }

  static async open(): Promise<Installation> {
    return new Installation(await startDevstack({ components: COMPONENTS, nodes: 1 }));
  }

  close(): Promise<void> {
    return this.stack.stop();
  }

  holdfast(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Said> {
    return run(process.execPath, ['cli/main.ts', ...args], { ...this.#env, ...env });
  }

  /** A command that goes on until it is ended. */
  watch(args: readonly string[]): WatchedCommand {
    return new WatchedCommand(args, this.#env);
  }

  /** kubectl; `input` is what `-f -` reads. @throws Error with what it said when it fails. */
  async kubectl(args: readonly string[], input?: unknown): Promise<string> {
    const { stdout, stderr, code } = await run(this.stack.binaries.kubectl, args, this.#env, JSON.stringify(input));
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async temporal(args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await run(this.stack.binaries.temporal, args, this.#env);
    return stdout + stderr;
  }

  /** A controller that is ready. */
  async controller(env: Record<string, string> = {}): Promise<ControllerProcess & { url: string }> {
    const { url, ...options } = await this.#options(env);
    return Object.assign(await startController(options), { url });
  }

  /** A controller that has just begun to start. */
  async begin(env: Record<string, string> = {}): Promise<ControllerProcess & { url: string }> {
    const { url, ...options } = await this.#options(env);
    return Object.assign(new ControllerProcess(options), { url });
  }

  async #options(env: Record<string, string>): Promise<ControllerOptions & { url: string }> {
    const { metrics } = await findPorts(['metrics']);
    const url = `http://127.0.0.1:${metrics}`;
    return {
      command: process.execPath,
      args: ['cli/main.ts', 'controller', '--listen', `127.0.0.1:${metrics}`],
      cwd: ROOT,
      env: { ...this.stack.env, ...env },
      readyUrl: `${url}/readyz`,
      url,
    };
  }

  get #env(): NodeJS.ProcessEnv {
    return childEnvironment(this.stack.env);
  }
}

/** What a `holdfast` command that does not end by itself has said so far, on a pipe. */
export class WatchedCommand {
  readonly #child: ChildProcess;
  #stderr = '';
  text = '';

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    const options = { cwd: ROOT, env, stdio: ['ignore' as const, 'pipe' as const, 'pipe' as const] };
    this.#child = spawn(process.execPath, ['cli/main.ts', ...args], options);
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
  }

  /** Whole ones, each of which begins with `head` at the beginning of a line. */
  pages(head: string): string[] {
    const ends = this.text.endsWith('\n');
    const pages = `\n${this.text}`.split(`\n${head}`).slice(1);
    return (ends ? pages : pages.slice(0, -1)).map((page) => `${head}${page}`);
  }

  /** Ctrl-C; answers its complaints. */
  async end(): Promise<string> {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGINT');
    await ended;
    return this.#stderr;
  }
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: string): Promise<Said> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd: ROOT, env, timeout: 60_000, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) }),
    );
    child.stdin?.end(input ?? '');
  });
}

/** A GameDeployment whose pods play the game `image`. */
export const gameDeployment = (name: string, image: string, updateStrategy: object = {}, annotations?: object) => ({
  ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment' },
  metadata: { name, namespace: 'default' },
  spec: {
    ...{ replicas: 3, updateStrategy: { type: 'InplaceUpdate', ...updateStrategy } },
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name }, annotations }, spec: { containers: [{ name: 'game', image }] } },
  },
});
