/** Real API server, real Temporal, a real HTTP server to ask, and hook workers that can be killed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection, type WorkflowHandle, type WorkflowHandleWithSignaledRunId } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { HookRun, HookRunSpec } from '../../crds/hook-run.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { childEnvironment } from '../../devstack/child-environment.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
import type { hookRun } from '../../workflows/hook-run.ts';
import { HOOK_RUN_WORKFLOW, type HookRunInput, hookRunStart } from '../../workflows/hook-run-start.ts';
import { rolloutId } from '../../workflows/ids.ts';
import { type Wake, wake } from '../../workflows/messages.ts';
import { WORKFLOW_QUEUE } from '../../workflows/queues.ts';
import { eventually } from '../support/eventually.ts';
import { keepHistory } from '../support/kept-history.ts';
import { TEST_IDENTITY } from '../support/temporal.ts';
import { HookTarget } from './hook-target.ts';
import type { rolloutDouble } from './rollout-double.ts';

const GENERATED = resolve(import.meta.dirname, '../../crds/generated');
const ENTRY = fileURLToPath(new URL('rollout-double.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('hook-worker.ts', import.meta.url));
const HOOK_RUNS = '/apis/tkex.tencent.com/v1alpha1/namespaces/default/hookruns';
const execute = promisify(execFile);

export type HookRunHandle = WorkflowHandle<typeof hookRun>;
export type RungHookRun = WorkflowHandleWithSignaledRunId<typeof hookRun>;

export class HookScene {
  readonly stack: Devstack;
  readonly target: HookTarget;
  readonly client: Client;
  readonly #connections: { close(): Promise<void> }[];
  readonly #bundle: WorkflowBundleWithSourceMap;
  readonly #worker: Worker;
  readonly #running: Promise<void>;
  /** What the hook workers wrote. */
  readonly workerOutput: string[] = [];
  #hookWorker: ChildProcess | undefined;

  private constructor(parts: {
    stack: Devstack;
    target: HookTarget;
    client: Client;
    connections: { close(): Promise<void> }[];
    bundle: WorkflowBundleWithSourceMap;
    worker: Worker;
  }) {
    this.stack = parts.stack;
    this.target = parts.target;
    this.client = parts.client;
    this.#connections = parts.connections;
    this.#bundle = parts.bundle;
    this.#worker = parts.worker;
    this.#running = parts.worker.run();
  }

  static async open(): Promise<HookScene> {
    const logger = new DefaultLogger('ERROR');
    Runtime.install({ logger });
    const [stack, bundle, target] = await Promise.all([
      startDevstack({ components: ['kube-apiserver', 'temporal'] }),
      bundleWorkflows(ENTRY, logger),
      HookTarget.open(),
    ]);
    const address = stack.env.TEMPORAL_ADDRESS;
    const [connection, native] = await Promise.all([
      Connection.connect({ address }),
      NativeConnection.connect({ address }),
    ]);
    const worker = await Worker.create({
      ...{ connection: native, identity: TEST_IDENTITY },
      ...{ workflowBundle: bundle, taskQueue: WORKFLOW_QUEUE },
    });
    const client = new Client({ connection, identity: TEST_IDENTITY });
    const scene = new HookScene({ stack, target, client, connections: [connection, native], bundle, worker });
    await scene.kubectl('apply', '-f', GENERATED);
    await scene.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    await scene.startHookWorker();
    return scene;
  }

  async close(): Promise<void> {
    this.#worker.shutdown();
    await this.#running;
    await this.endHookWorker('SIGTERM');
    for (const connection of this.#connections) await connection.close();
    await this.target.close();
    await this.stack.stop();
  }

  async kubectl(...args: string[]): Promise<string> {
    return (await execute(this.stack.binaries.kubectl, ['--kubeconfig', this.stack.kubeconfig, ...args])).stdout;
  }

  async temporal(...args: string[]): Promise<string> {
    const all = [...args, '--address', this.stack.env.TEMPORAL_ADDRESS ?? ''];
    const env = childEnvironment(this.stack.env);
    return (await execute(this.stack.binaries.temporal, all, { env, maxBuffer: 1 << 26 })).stdout;
  }

  async startHookWorker(): Promise<void> {
    const env = childEnvironment(this.stack.env);
    const child = spawn(process.execPath, [WORKER], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const output of [child.stdout, child.stderr])
      output.on('data', (text) => this.workerOutput.push(String(text)));
    child.stderr.pipe(process.stderr);
    await once(child.stdout, 'data');
    this.#hookWorker = child;
  }

  async endHookWorker(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#hookWorker;
    this.#hookWorker = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Creates the object as the engine would and rings its bell as a watcher would. */
  async start(
    name: string,
    spec: HookRunSpec,
    labels: Record<string, string> = {},
    input: Partial<HookRunInput> = {},
  ): Promise<RungHookRun> {
    await this.create(name, spec, labels);
    return this.ring(name, 'added', undefined, input);
  }

  async create(name: string, spec: HookRunSpec, labels: Record<string, string> = {}): Promise<void> {
    const ownerReferences = [
      { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment', name: 'lobby', uid: 'w', controller: true },
    ];
    const { status, body } = await this.stack.api('POST', HOOK_RUNS, {
      ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun' },
      ...{ metadata: { name, namespace: 'default', labels, ownerReferences }, spec },
    });
    if (status !== 201) throw new Error(`HookRun ${name} was not created: ${status} ${JSON.stringify(body)}`);
  }

  /** Signal-with-start, as a watcher does it. */
  async ring(
    name: string,
    reason: string,
    known?: KubernetesObject,
    input: Partial<HookRunInput> = {},
  ): Promise<RungHookRun> {
    const { metadata } = known ?? (await this.read(name));
    const { uid = '', generation } = metadata;
    const start = hookRunStart({ namespace: 'default', name, uid, generation, ...input });
    return this.client.workflow.signalWithStart<typeof hookRun, [Wake]>(HOOK_RUN_WORKFLOW, {
      ...start,
      signal: wake,
      signalArgs: [{ uid, generation, reason }],
    });
  }

  async read(name: string): Promise<HookRun> {
    const { status, body } = await this.stack.api('GET', `${HOOK_RUNS}/${name}`);
    if (status !== 200) throw new Error(`HookRun ${name}: ${status}`);
    return body as HookRun;
  }

  /** Waits until the object's status is as asked. */
  seen(name: string, what: string, until: (run: HookRun) => boolean): Promise<HookRun> {
    return eventually(`HookRun ${name} ${what}`, () => this.read(name), { until, timeoutMs: 60_000 });
  }

  async startRollout(): Promise<WorkflowHandle<typeof rolloutDouble>> {
    const workflowId = rolloutId({ kind: 'GameDeployment', namespace: 'default', name: 'lobby' });
    return this.client.workflow.start<typeof rolloutDouble>('rolloutDouble', { workflowId, taskQueue: WORKFLOW_QUEUE });
  }

  /** The run and all in which it went on: ids, the first one first. */
  async runIdsOf({ workflowId, signaledRunId }: RungHookRun): Promise<string[]> {
    const ids: string[] = [];
    for (let runId: string | undefined = signaledRunId; runId; ) {
      ids.push(runId);
      const { events } = await this.client.workflow.getHandle(workflowId, runId).fetchHistory();
      runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    return ids;
  }

  /** Replays a run with the code that made it, keeps its history where asked, and answers how many events it has. */
  async replay({ workflowId }: HookRunHandle, runId?: string): Promise<number> {
    const history = await this.client.workflow.getHandle(workflowId, runId).fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: this.#bundle }, history, workflowId);
    if (process.env.EXPORT_HISTORIES !== undefined) await this.#export(workflowId, runId);
    return history.events?.length ?? 0;
  }

  async #export(workflowId: string, runId?: string): Promise<void> {
    const run = runId === undefined ? [] : ['--run-id', runId];
    const json = await this.temporal('workflow', 'show', '--workflow-id', workflowId, ...run, '--output', 'json');
    keepHistory(`hook-run-${workflowId.split('/').at(-1)}`, json);
  }
}
