/**
 * The whole product on real servers, once per file: devstack, one controller as a child process, a hook target. Each test
 * gets a namespace of its own, so that many stories run side by side.
 */
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { childEnvironment } from '../../devstack/child-environment.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { type ControllerProcess, startController } from '../faults/process.ts';
import type { SpokenWord } from '../faults/spoken-words.ts';
import { HookTarget } from '../hooks/hook-target.ts';
import { GameNamespace } from './game-namespace.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What a command said and how it ended. */
export interface Said {
  stdout: string;
  stderr: string;
  code: number;
}

/** Tests of one theme by their sentences. */
export type Stories = Record<string, (scene: GameScene) => Promise<void>>;

export class GameScene {
  readonly stack: Devstack;
  readonly target: HookTarget;
  readonly temporalClient: Client;
  /** What people said to workflows: the judge of the audit log is told of it. */
  readonly words: SpokenWord[] = [];
  #controller: ControllerProcess | undefined;
  #namespaces = 0;

  private constructor(stack: Devstack, target: HookTarget, temporalClient: Client) {
    this.stack = stack;
    this.target = target;
    this.temporalClient = temporalClient;
  }

  static async open(): Promise<GameScene> {
    const scene = await GameScene.install();
    try {
      await scene.startController();
      return scene;
    } catch (error) {
      await scene.close();
      throw error;
    }
  }

  /** All but the controller: its cluster may be made to look like somebody else's before it starts. */
  static async install(): Promise<GameScene> {
    const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'temporal'] as const;
    const [stack, target] = await Promise.all([startDevstack({ components, nodes: 4 }), HookTarget.open()]);
    try {
      const address = stack.env.TEMPORAL_ADDRESS ?? '';
      await execute(process.execPath, ['cli/main.ts', 'install', '--temporal-address', address], envOf(stack));
      const client = new Client({ connection: await Connection.connect({ address }) });
      return new GameScene(stack, target, client);
    } catch (error) {
      await Promise.all([stack.stop(), target.close()]);
      throw error;
    }
  }

  /** By another kubeconfig it has other rights than all of them. */
  async startController(kubeconfig = this.stack.kubeconfig): Promise<void> {
    this.#controller = await startController(await controllerOptions(this.stack, kubeconfig));
  }

  async stopController(): Promise<void> {
    await this.#controller?.stop();
    this.#controller = undefined;
  }

  async close(): Promise<void> {
    await this.stopController();
    await this.temporalClient.connection.close();
    await this.target.close();
    await this.stack.stop();
  }

  /** A namespace that pods can be created in. */
  async namespace(theme: string): Promise<GameNamespace> {
    this.#namespaces += 1;
    const namespace = new GameNamespace(this, `${theme}-${this.#namespaces}`);
    await namespace.create();
    return namespace;
  }

  /** kubectl as a person types it. */
  kubectl(args: readonly string[], input?: string): Promise<Said> {
    return run(this.stack.binaries.kubectl, args, envOf(this.stack), input);
  }

  /** kubectl that goes on printing until `end`. */
  follow(args: readonly string[]): { lines: string[]; end: () => void } {
    const child = spawn(this.stack.binaries.kubectl, args, {
      env: envOf(this.stack),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    return { lines, end: () => child.kill() };
  }

  /** Somebody says a word to the workflow of the workload `<namespace>/<name>`. */
  async say<T>(word: Pick<SpokenWord, 'workload' | 'verb' | 'pod'>, say: () => Promise<T>): Promise<T> {
    const spoken = { ...word, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.words.push(spoken);
    const answer = await say();
    spoken.toMs = Date.now();
    return answer;
  }

  /** Our own command. Each that names a workload is noted, what it only looks at as well. */
  holdfast(args: readonly string[]): Promise<Said> {
    const [verb = '', object = ''] = args;
    const option = (name: string) => args[args.indexOf(name) + 1];
    const workload = `${option('-n')}/${object.slice(object.indexOf('/') + 1)}`;
    const pod = args.includes('--pod') ? option('--pod') : undefined;
    return this.say({ workload, verb, pod }, () => run(process.execPath, ['cli/main.ts', ...args], envOf(this.stack)));
  }

  /** The stock Temporal CLI. */
  temporal(args: readonly string[]): Promise<Said> {
    return run(this.stack.binaries.temporal, args, envOf(this.stack));
  }
}

const envOf = ({ env, kubeconfig }: Devstack): NodeJS.ProcessEnv =>
  childEnvironment({ ...env, KUBECONFIG: kubeconfig, TEMPORAL_CLI_SHOW_STACKS: '0' });

async function controllerOptions(stack: Devstack, kubeconfig: string) {
  const listen = `127.0.0.1:${await freePort()}`;
  return {
    command: process.execPath,
    args: ['cli/main.ts', 'controller', '--listen', listen, '--log-level', 'warn'],
    env: { ...stack.env, KUBECONFIG: kubeconfig },
    cwd: ROOT,
    readyUrl: `http://${listen}/readyz`,
    readyTimeoutMs: 90_000,
  };
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

const LONGEST_COMMAND_MS = 120_000;

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: string): Promise<Said> {
  const { promise, resolve } = Promise.withResolvers<Said>();
  const options = { env, cwd: ROOT, timeout: LONGEST_COMMAND_MS, maxBuffer: 1 << 26 };
  const child = execFile(command, [...args], options, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
    resolve({ stdout, stderr, code });
  });
  child.stdin?.end(input ?? '');
  return promise;
}

/** @throws Error with what the command said. */
async function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, env);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
}
