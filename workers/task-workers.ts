/** The Temporal workers of this process: one per task queue, each with slots and a stopping time that suit its work. */
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createBookkeepingActivities } from '../activities/bookkeeping.ts';
import { createHookActivities } from '../activities/hooks/measure.ts';
import type { HookPorts } from '../activities/hooks/measuring.ts';
import { createPodActivities } from '../activities/pod-activities.ts';
import type { ReportPorts } from '../activities/report.ts';
import { createRolloutActivities, type RolloutPorts } from '../activities/rollouts.ts';
import { createMessageActivities, type Messenger } from '../activities/tell.ts';
import { DOORBELL_QUEUE, HOOK_QUEUE, MOVE_QUEUE, OBSERVE_QUEUE, WORKFLOW_QUEUE } from '../workflows/queues.ts';
import type { ControllerConfig } from './config.ts';

export interface TaskWorkersOptions {
  connection: NativeConnection;
  namespace: string;
  bundlePath: string;
  config: Pick<ControllerConfig, 'identity' | 'slots' | 'cachedWorkflows'>;
  ports: RolloutPorts & ReportPorts & HookPorts & { messenger: Messenger };
  /** The activity by which a process becomes the one that rings. */
  doorbell: () => Promise<void>;
}

export interface TaskWorkers {
  /** Resolves with what went wrong when one of them ends by itself. */
  failed: Promise<Error>;
  areRunning(): boolean;
  /** Lets go of waits at once and lets writes end. */
  stop(): Promise<void>;
}

/** A wave of writes ends within this; what does not is tried again elsewhere. */
const WRITES_END_WITHIN = '10 seconds';
const GIVE_UP_AFTER = '15 seconds';

/** @throws Error when one cannot be made. */
export async function startTaskWorkers(options: TaskWorkersOptions): Promise<TaskWorkers> {
  const workers = await Promise.all(workerOptions(options).map((each) => Worker.create(each)));
  const runs = workers.map((worker) => worker.run());
  const failed = new Promise<Error>((resolve) => {
    for (const run of runs)
      run.catch((error: unknown) => resolve(error instanceof Error ? error : new Error(String(error))));
  });
  return {
    failed,
    areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
    },
  };
}

function workerOptions({
  connection,
  namespace,
  bundlePath,
  config,
  ports,
  doorbell,
}: TaskWorkersOptions): WorkerOptions[] {
  const { identity, slots, cachedWorkflows } = config;
  // A heartbeat's answer is how an attempt learns that it is cancelled; the timeouts of ours are 10 s.
  const shared = {
    connection,
    namespace,
    identity,
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownForceTime: GIVE_UP_AFTER,
  } as const;
  const { startRollout, ...rollouts } = createRolloutActivities(ports);
  const { observe, lookNow, ...moves } = createPodActivities(ports);
  const bookkeeping = createBookkeepingActivities(ports);
  const { report, recordRevision } = bookkeeping;
  const { tell } = createMessageActivities(ports);
  const beside = { report, recordRevision, lookNow, tell, closeRollout: rollouts.closeRollout };
  return [
    {
      ...shared,
      taskQueue: WORKFLOW_QUEUE,
      workflowBundle: { codePath: bundlePath },
      // Besides the first, what workflows do beside them (docs/adr/0018).
      activities: { startRollout, ...beside },
      maxCachedWorkflows: cachedWorkflows,
      // Shorter than a person waits when a process has died, longer than tasks wait while hundreds of workloads move at once: a
      // task that is taken from the process which has the workflow in memory costs a replay.
      stickyQueueScheduleToStartTimeout: '5 seconds',
    },
    {
      ...shared,
      taskQueue: OBSERVE_QUEUE,
      activities: { observe },
      maxConcurrentActivityTaskExecutions: slots.observe,
    },
    {
      ...shared,
      taskQueue: MOVE_QUEUE,
      activities: { ...moves, ...rollouts, ...bookkeeping },
      maxConcurrentActivityTaskExecutions: slots.move,
      shutdownGraceTime: WRITES_END_WITHIN,
    },
    {
      ...shared,
      taskQueue: HOOK_QUEUE,
      activities: createHookActivities(ports),
      maxConcurrentActivityTaskExecutions: slots.hooks,
      // Hundreds of polls beat at once, and each beat is a write of Temporal; what is lost by a death is measured again.
      maxHeartbeatThrottleInterval: '5 seconds',
    },
    { ...shared, taskQueue: DOORBELL_QUEUE, activities: { doorbell }, maxConcurrentActivityTaskExecutions: 1 },
  ];
}
