/**
 * The whole product on real servers, to be broken: a devstack, a target for hooks, and controllers as processes behind
 * fault proxies. Owns what is started; knows nothing of what a test makes of it.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll } from 'vitest';
import { childEnvironment } from '../../devstack/child-environment.ts';
import { findPorts } from '../../devstack/ports.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { WORKLOAD_RULES } from '../../workflows/rules.ts';
import { assertKept, judgeAuditLog, type Verdict } from '../faults/checker.ts';
import { type ControllerOptions, type SupervisedController, superviseController } from '../faults/process.ts';
import { type FaultProxy, startFaultProxy } from '../faults/proxy.ts';
import { partitionIn } from '../faults/rollout-log.ts';
import type { WriteRecord } from '../faults/write-faults.ts';
import { HookTarget } from '../hooks/hook-target.ts';
import { keepHistory } from '../support/kept-history.ts';
import { TEST_IDENTITY } from '../support/temporal.ts';
import { EndedRollouts } from './ended-rollouts.ts';
import { Game } from './game.ts';
import type { GameVariant } from './game-manifests.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = resolve(ROOT, 'cli/main.ts');
/** Two processors and six servers: a controller takes its time to come up. */
const READY_WITHIN_MS = 90_000;
const STARTS = 3;
/**
 * After a kill the status comes after a heartbeat timeout, a start and a replay, on a busy machine minutes later. It counts for
 * rollouts that are still open when they are judged; of the others their own log is believed.
 */
const STATUS_LAG_MS = 120_000;

const execute = promisify(execFile);

/** A controller that is started again whenever it dies, with the proxy that stands before its API server. */
export interface Operator {
  proxy: FaultProxy;
  controller: SupervisedController;
  readyUrl: string;
}

export class ChaosScene {
  readonly stack: Devstack;
  readonly target: HookTarget;
  readonly client: Client;
  readonly #connection: Connection;
  readonly #operators = new Set<Operator>();
  readonly #ended = new EndedRollouts();
  readonly #firstPartitions = new Map<string, (atMs: number) => number | undefined>();
  #games = 0;

  private constructor(stack: Devstack, target: HookTarget, connection: Connection) {
    this.stack = stack;
    this.target = target;
    this.#connection = connection;
    this.client = new Client({ connection, identity: TEST_IDENTITY });
  }

  static async open(): Promise<ChaosScene> {
    const components = ['kube-apiserver', 'kwok', 'temporal'] as const;
    const [stack, target] = await Promise.all([startDevstack({ components }), HookTarget.open()]);
    target.answer('/age', () => ({ value: 20 }));
    const connection = await Connection.connect({ address: stack.env.TEMPORAL_ADDRESS });
    const scene = new ChaosScene(stack, target, connection);
    await execute(process.execPath, [MAIN, 'install'], { cwd: ROOT, env: childEnvironment(stack.env) });
    return scene;
  }

  async close(): Promise<void> {
    for (const operator of this.#operators) await this.dismiss(operator);
    await this.#connection.close();
    await this.target.close();
    await this.stack.stop();
  }

  /** Starts a controller behind a proxy of its own. */
  async hire(): Promise<Operator> {
    const proxy = await startFaultProxy({ target: { kubeconfigPath: this.stack.kubeconfig } });
    const options = await this.#controllerOptions(proxy);
    const operator = { proxy, controller: await superviseStart(options), readyUrl: options.readyUrl };
    this.#operators.add(operator);
    return operator;
  }

  async dismiss(operator: Operator): Promise<void> {
    this.#operators.delete(operator);
    await operator.controller.stop();
    await operator.proxy.close();
  }

  async #controllerOptions(proxy: FaultProxy): Promise<ControllerOptions> {
    const { controller: port } = await findPorts(['controller']);
    const listen = `127.0.0.1:${port}`;
    return {
      command: process.execPath,
      args: [MAIN, 'controller', '--listen', listen, '--log-level', 'warn', '--identity', TEST_IDENTITY],
      cwd: ROOT,
      env: { ...this.stack.env, KUBECONFIG: proxy.kubeconfigPath },
      readyUrl: `http://${listen}/readyz`,
      readyTimeoutMs: READY_WITHIN_MS,
    };
  }

  /** A workload in a namespace of its own, so that every write tells by its path whose it is. Not applied yet. */
  game(variant: GameVariant = {}, label = 'game'): Game {
    this.#games += 1;
    return new Game(this, `${label}-${this.#games}`, variant);
  }

  /** A workload that was applied and of which every pod is up. */
  async startGame(variant: GameVariant, label: string): Promise<Game> {
    const game = this.game(variant, label);
    await game.create();
    await game.isUp(1);
    return game;
  }

  /** The real `temporal`, as a user types it. */
  async temporal(...args: string[]): Promise<string> {
    const all = [...args, '--address', this.stack.env.TEMPORAL_ADDRESS ?? '', '--identity', TEST_IDENTITY];
    const env = childEnvironment(this.stack.env);
    return (await execute(this.stack.binaries.temporal, all, { env, timeout: 30_000, maxBuffer: 1 << 26 })).stdout;
  }

  async kubectl(...args: string[]): Promise<string> {
    return (await execute(this.stack.binaries.kubectl, ['--kubeconfig', this.stack.kubeconfig, ...args])).stdout;
  }

  /** What a person knows better than the status, which a killed controller writes late: when the first pause was ended. */
  knowPartition(workload: string, partitionAt: (atMs: number) => number | undefined): void {
    this.#firstPartitions.set(workload, partitionAt);
  }

  /** Every promise was kept at every write so far. @throws Error with the sentences of the broken ones. */
  async assertKept(): Promise<Verdict['judged']> {
    const rollouts = await this.#ended.read(this.client);
    const verdict = await judgeAuditLog(this.stack.auditLogPath, {
      statusLagMs: STATUS_LAG_MS,
      partitionOf: (at) => this.#firstPartitions.get(at.workload)?.(at.atMs) ?? partitionIn(rollouts, at),
    });
    assertKept(verdict);
    return verdict.judged;
  }

  /** Keeps a run's history for test/replay, where the environment asks for that. */
  async keepHistory(workflowId: string, name: string): Promise<void> {
    if (process.env.EXPORT_HISTORIES === undefined) return;
    const json = await this.temporal('workflow', 'show', '--workflow-id', workflowId, '--output', 'json');
    // Those that runs of other rules have left are kept beside it.
    keepHistory(`${name}-rules-${WORKLOAD_RULES}`, json);
  }
}

/** What a test file has on its hands: there from its first test on. */
export interface StaffedScene {
  scene: ChaosScene;
  operator: Operator;
}

/** Opens a scene with one controller before the tests of the file that calls, and closes it after them. */
export function staffScene(): StaffedScene {
  const staffed: Partial<StaffedScene> = {};
  beforeAll(async () => {
    const scene = await ChaosScene.open();
    staffed.scene = scene;
    staffed.operator = await scene.hire();
  });
  afterAll(() => staffed.scene?.close());
  return staffed as StaffedScene;
}

/** On a machine that is busy the first start may find servers too slow to answer; whoever runs it starts it again. */
async function superviseStart(options: ControllerOptions): Promise<SupervisedController> {
  for (let start = 1; ; start += 1) {
    try {
      return await superviseController(options);
    } catch (error) {
      if (start === STARTS) throw error;
    }
  }
}

/** Is the write one of this game's? */
export const isOf = ({ path }: WriteRecord, { namespace }: Game): boolean => path.includes(`/namespaces/${namespace}/`);
