/** One server, its workers with mocked activities, and rollouts to play with: what the tests of the workflow share. */
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { CloseRolloutRequest, RolloutActivities, StepHookRequest } from '../../activities/rollout-types.ts';
import { createMessageActivities } from '../../activities/tell.ts';
import type { StartRolloutRequest } from '../../activities/types.ts';
import type { HumanMessage, HumanVerb, Step } from '../../core/rollout/types.ts';
import { createMessenger } from '../../workers/messenger.ts';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
import { rolloutId, workloadId } from '../../workflows/ids.ts';
import { MOVE_QUEUE, WORKFLOW_QUEUE } from '../../workflows/queues.ts';
import type { rollout } from '../../workflows/rollout.ts';
import { rolloutArgs, rolloutSummary } from '../../workflows/rollout-args.ts';
import { type RolloutReport, rolloutState } from '../../workflows/rollout-query.ts';
import { eventually } from '../support/eventually.ts';
import { keepHistory } from '../support/kept-history.ts';
import { startTemporal, TEST_IDENTITY, type TemporalServer } from '../support/temporal.ts';
import { type DoubleArgs, heardQuery, leaveSignal, type workloadDouble } from './workload-double.ts';

/** Runs whose histories every later release has to replay; written anew with EXPORT_HISTORIES=1. */
const KEPT: ReadonlySet<string> = new Set(['story', 'paused', 'cancel', 'revise', 'twice', 'alone', 'full']);
const ENTRY = fileURLToPath(new URL('workload-double.ts', import.meta.url));

type RolloutHandle = WorkflowHandle<typeof rollout>;

export class RolloutScene {
  readonly created: StepHookRequest[] = [];
  readonly terminated: string[] = [];
  readonly closed: CloseRolloutRequest[] = [];
  /** What creating a HookRun answers. */
  hookAnswer: RolloutActivities['createStepHookRun'] = async ({ stepIndex, attempt }) => ({
    hookRun: `run-${stepIndex}-${attempt}`,
  });
  readonly #server: TemporalServer;
  readonly #bundle: WorkflowBundleWithSourceMap;
  #workers: { worker: Worker; ended: Promise<void> }[] = [];

  private constructor(server: TemporalServer, bundle: WorkflowBundleWithSourceMap) {
    this.#server = server;
    this.#bundle = bundle;
  }

  static async open(): Promise<RolloutScene> {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const [server, bundle] = await Promise.all([startTemporal(), bundleWorkflows(ENTRY, new DefaultLogger('ERROR'))]);
    const scene = new RolloutScene(server, bundle);
    await scene.startWorkers();
    return scene;
  }

  get client() {
    return this.#server.client;
  }

  /** The real `temporal`, as a user types it. */
  cli(...args: string[]): Promise<string> {
    return this.#server.cli(...args);
  }

  async startWorkers(): Promise<void> {
    const shared = { connection: this.#server.native, identity: TEST_IDENTITY };
    const activities: RolloutActivities = {
      createStepHookRun: (request) => {
        this.created.push(request);
        return this.hookAnswer(request);
      },
      cancelStepHookRun: async ({ hookRun }) => void this.terminated.push(hookRun),
      closeRollout: async (request) => void this.closed.push(request),
    };
    const { tell } = createMessageActivities({ messenger: createMessenger(this.client) });
    const beside = { closeRollout: activities.closeRollout, tell };
    const bundle = { workflowBundle: this.#bundle, activities: beside };
    const workflows = { ...shared, ...bundle, taskQueue: WORKFLOW_QUEUE };
    for (const options of [workflows, { ...shared, activities, taskQueue: MOVE_QUEUE }]) {
      const worker = await Worker.create(options);
      this.#workers.push({ worker, ended: worker.run() });
    }
  }

  /** Whatever runs stands still until workers come again; they know nothing but the history then. */
  async stopWorkers(): Promise<void> {
    for (const { worker } of this.#workers) worker.shutdown();
    await Promise.all(this.#workers.map(({ ended }) => ended));
    this.#workers = [];
  }

  async restartServer(): Promise<void> {
    await this.#server.stack.process('temporal').restart('SIGKILL');
    await eventually('the server answers again', () => this.#server.cli('operator', 'cluster', 'health'), {
      until: (text) => text.includes('SERVING'),
    });
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.#server.stop();
  }

  /** Starts a rollout with its workload. */
  async start(
    name: string,
    steps: Step[],
    options: Partial<StartRolloutRequest> & { alone?: boolean } = {},
  ): Promise<RolloutPlay> {
    const { alone = false, ...request } = options;
    const key = { kind: 'GameDeployment' as const, namespace: 'default', name };
    const args = rolloutArgs({
      ...{
        key,
        uid: `uid-${name}`,
        number: 1,
        fromRevision: `${name}-old`,
        toRevision: `${name}-new`,
        rolledBack: false,
      },
      spec: { steps, stepsHash: JSON.stringify(steps), pausedByUser: false, retryGates: false },
      ...request,
    });
    const play = new RolloutPlay(this, this.client.workflow.getHandle<typeof rollout>(rolloutId(key)), workloadId(key));
    if (!alone) await play.startWorkload();
    await this.client.workflow.start<typeof rollout>('rollout', {
      ...{ workflowId: rolloutId(key), taskQueue: WORKFLOW_QUEUE, args: [args], memo: { number: 1 } },
      ...{ workflowIdConflictPolicy: 'FAIL', staticSummary: rolloutSummary(args) },
    });
    return play;
  }

  /** Replays the run with the code that made it, and keeps its history where the environment asks for that. */
  async replay(play: RolloutPlay, name = play.name): Promise<void> {
    const history = await play.handle.fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: this.#bundle }, history, play.id);
    if (process.env.EXPORT_HISTORIES === undefined || !KEPT.has(name)) return;
    const json = await this.cli('workflow', 'show', '--workflow-id', play.id, '--output', 'json');
    keepHistory(`rollout-${name}`, json);
  }
}

/** One rollout in the scene, with its double of a workload. */
export class RolloutPlay {
  readonly handle: RolloutHandle;
  readonly name: string;
  readonly #scene: RolloutScene;
  readonly #workload: string;

  constructor(scene: RolloutScene, handle: RolloutHandle, workload: string) {
    this.handle = handle;
    this.name = workload.split('/').at(-1)!;
    this.#scene = scene;
    this.#workload = workload;
  }

  get id(): string {
    return this.handle.workflowId;
  }

  get workload(): WorkflowHandle<typeof workloadDouble> {
    return this.#scene.client.workflow.getHandle<typeof workloadDouble>(this.#workload);
  }

  async startWorkload(specPartition = 0): Promise<void> {
    const args: DoubleArgs = { rolloutId: this.id, specPartition };
    await this.#scene.client.workflow.start<typeof workloadDouble>('workloadDouble', {
      ...{ workflowId: this.#workload, taskQueue: WORKFLOW_QUEUE, args: [args] },
    });
  }

  report(): Promise<RolloutReport> {
    return this.handle.query(rolloutState);
  }

  /** Sends an update and answers its answer. @throws WorkflowUpdateFailedError with the refusal. */
  ask(verb: HumanVerb, message: HumanMessage = {}): Promise<string> {
    return this.handle.executeUpdate<string, [HumanMessage]>(verb, { args: [message] });
  }

  /** Waits until the rollout stands at a step in a phase. */
  async isAt(stepIndex: number, phase = 'Paused'): Promise<RolloutReport> {
    return await eventually(`${this.name} is ${phase} at step ${stepIndex}`, () => this.report(), {
      until: ({ view }) => view.stepIndex === stepIndex && view.phase === phase,
    });
  }

  /** What the workload was told. */
  async heard() {
    return await this.workload.query(heardQuery);
  }

  async leave(): Promise<void> {
    await this.workload.signal(leaveSignal);
  }
}
