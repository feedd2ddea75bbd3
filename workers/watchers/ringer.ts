/** Rings one bell: signals the workflow of its object, starting it where it does not run (design §3). Carries no data. */
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowNotFoundError } from '@temporalio/common';
import { workloadStoreOf } from '../../activities/kinds.ts';
import type { Stores } from '../../activities/ports.ts';
import type { WorkloadKey } from '../../activities/types.ts';
import { expiresAtMs } from '../../core/hooks/expiry.ts';
import { isTerminal } from '../../core/hooks/phases.ts';
import { HOOK_RUN } from '../../crds/api.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { HOOK_RUN_WORKFLOW, hookRunStart } from '../../workflows/hook-run-start.ts';
import { type Wake, wake } from '../../workflows/messages.ts';
import { WORKFLOW_QUEUE } from '../../workflows/queues.ts';
import { rulesMemo } from '../../workflows/rules.ts';
import { workloadAttribute } from '../../workflows/search-attributes.ts';
import type { Bell } from './bell-board.ts';
import { targetOf } from './bell-keys.ts';
import { hasLeftPods } from './left-behind.ts';
import { rolloutAwaiting, stepOwner } from './step-runs.ts';

export interface RingerOptions {
  client: Pick<Client, 'workflow'>;
  stores: Stores;
}

export type Ring = (bell: Bell) => Promise<void>;

/** The function @throws whatever Temporal answers; the bell is then to be rung again. */
export function createRinger(options: RingerOptions): Ring {
  return async (bell) => {
    const { kind, namespace, name } = targetOf(bell.key);
    if (kind === HOOK_RUN.kind) await ringHookRun(options, bell, { namespace, name });
    else await ringWorkload(options, bell, { kind, namespace, name });
  };
}

async function ringWorkload({ client, stores }: RingerOptions, bell: Bell, key: WorkloadKey): Promise<void> {
  const object = workloadStoreOf(stores, key.kind).get(key);
  if (object === undefined && !hasLeftPods(stores, key)) return await tellGone(client, bell);
  await client.workflow.signalWithStart('workload', {
    workflowId: bell.key,
    taskQueue: WORKFLOW_QUEUE,
    args: [object === undefined ? { key, isLeftBehind: true } : { key }],
    signal: wake,
    signalArgs: [object === undefined ? GONE : wakeOf(object, bell)],
    typedSearchAttributes: new TypedSearchAttributes([{ key: workloadAttribute, value: bell.key }]),
    memo: rulesMemo(),
    staticSummary: `${key.kind} ${key.namespace}/${key.name}`,
  });
}

async function ringHookRun(
  { client, stores }: RingerOptions,
  bell: Bell,
  ref: { namespace: string; name: string },
): Promise<void> {
  const run = stores.hookRuns.get(ref);
  const awaiting = rolloutAwaiting(stores, ref);
  // A step that still waits hears how its run ended from a workflow only, be there a run or none.
  if (awaiting === undefined) {
    if (run === undefined) return await tellGone(client, bell);
    if (isOverForGood(run)) return;
  }
  const { uid = '', generation } = run?.metadata ?? {};
  await client.workflow.signalWithStart(HOOK_RUN_WORKFLOW, {
    ...hookRunStart({ ...ref, uid, generation, step: awaiting ?? stepOwner(run) }),
    signal: wake,
    signalArgs: [run === undefined ? GONE : wakeOf(run, bell)],
  });
}

/** One that is to be deleted some day has its workflow until then; a bell finds it again where it was lost. */
const isOverForGood = (run: HookRun): boolean => isTerminal(run.status?.phase) && expiresAtMs(run) === undefined;

const GONE: Wake = { uid: '', reason: 'deleted' };

const wakeOf = ({ metadata: { uid = '', generation } }: KubernetesObject, { reason }: Bell): Wake => ({
  uid,
  generation,
  reason,
});

/** A workflow that does not run has nothing to end. */
async function tellGone({ workflow }: RingerOptions['client'], { key }: Bell): Promise<void> {
  try {
    await workflow.getHandle(key).signal(wake, GONE);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
