/**
 * The provider `job`: runs a Job in the HookRun's namespace and takes its end for the verdict. Each measurement has one Job of a
 * name of its own, so that whoever looks after a crash finds the Job that runs instead of making another one.
 */
import { shortHash } from '../../../core/hash.ts';
import { renderJobSpec } from '../../../core/hooks/job-spec.ts';
import { KEPT_MEASUREMENTS } from '../../../core/hooks/verdict.ts';
import { API_VERSION, HOOK_RUN } from '../../../crds/api.ts';
import type { KubernetesObject } from '../../../crds/kubernetes.ts';
import type { JobProvider } from '../../../crds/provider.ts';
import { ApiError, isApiError } from '../../../kubernetes/errors.ts';
import { findObject } from '../../../kubernetes/find-object.ts';
import { mergePatch } from '../../../kubernetes/patches.ts';
import { jobs, type ResourceType } from '../../../kubernetes/resource-types.ts';
import { describeJobEnd } from './job-log.ts';
import {
  type MeasuredRun,
  type MeasureProvider,
  type ProviderAnswer,
  type ProviderContext,
  ProviderProblem,
} from './types.ts';

export interface Job extends KubernetesObject {
  spec: JobProvider['spec'];
  status?: {
    startTime?: string;
    active?: number;
    failed?: number;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

const JOBS = jobs as ResourceType<Job>;
const FIELD = 'provider.job';
/** Errors after which nobody knows, or somebody else was faster: a later look finds out. */
const UNDECIDED = ['timeout', 'network', 'unavailable', 'tooManyRequests', 'unauthorized', 'conflict'] as const;
const LOOK_AGAIN_MS = 2_000;
/** Old Jobs that one measurement removes. */
const MOST_REMOVED = 20;
/** A Job's name becomes a label of its pods. */
const MAX_NAME_LENGTH = 63;
/** On a Job: uid of its HookRun, by which those that still run are found when the run ends. */
const HOOK_RUN_UID_LABEL = 'holdfast.dev/hook-run-uid';
/** On a Job that is suspended until it is known to be there; one that a person suspends is theirs. */
const HELD_ANNOTATION = 'holdfast.dev/held';

/** One look at the Job of this measurement, which the first look creates. */
export const measureJob: MeasureProvider<JobProvider> = async (provider, context) => {
  const found = await unlessUndecided(context, () => findJob(context));
  if (found instanceof ApiError) return lookAgain(`waits for the API server: ${found.message}`, context.begunAt);
  if (found === undefined) await removeOldJobs(context);
  const job = found ?? (await unlessUndecided(context, () => createJob(provider, context)));
  if (job instanceof ApiError) return lookAgain(`waits for its Job to be created: ${job.message}`, context.begunAt);
  if (job === undefined) return lookAgain('waits for its Job to be seen', context.begunAt);
  refuseForeign(job, context.run);
  const answer = await unlessUndecided(context, async () => judge(await letGo(job, provider, context), context));
  if (!(answer instanceof ApiError)) return answer;
  return lookAgain(`waits for what Job ${job.metadata.name} does: ${answer.message}`, startOf(job));
};

/**
 * What a cancelled run leaves behind: Jobs of it that have not ended are deleted, with their pods. One that may not be deleted
 * keeps none of the others.
 * @throws ApiError after all were tried: one to be tried again before a refusal.
 */
export async function endJobs(
  client: ProviderContext['ports']['client'],
  { namespace, uid }: Pick<MeasuredRun, 'namespace' | 'uid'>,
  signal?: AbortSignal,
): Promise<void> {
  const { items } = await client.list(JOBS, { namespace, labelSelector: `${HOOK_RUN_UID_LABEL}=${uid}`, signal });
  const running = items.filter((job) => endOf(job) === undefined && job.metadata.deletionTimestamp === undefined);
  const failures: unknown[] = [];
  for (const { metadata } of running) {
    const options = { uid: metadata.uid, propagationPolicy: 'Background', signal } as const;
    await client.delete(JOBS, metadata, options).catch((error) => {
      if (!isApiError(error, 'notFound', 'conflict')) failures.push(error);
    });
  }
  if (failures.length > 0) throw failures.find((error) => isApiError(error, ...UNDECIDED)) ?? failures[0];
}

async function findJob({ ports, run, signal, ...context }: ProviderContext): Promise<Job | undefined> {
  const name = jobName({ run, ...context });
  try {
    return await ports.client.get(JOBS, { namespace: run.namespace, name }, { signal });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
    if (context.begunAt === undefined) return undefined;
    throw new ProviderProblem(FIELD, `Job ${run.namespace}/${name} was deleted before it ended`);
  }
}

/**
 * Before another Job is made, those of measurements that the status does not show any more go: a poll would leave them without end.
 * Normally that is one; where some could not be removed before, all as far back as there are any. They go with their run at last.
 */
async function removeOldJobs(context: ProviderContext): Promise<void> {
  const newest = context.number - KEPT_MEASUREMENTS - 1;
  const oldest = Math.max(1, newest - MOST_REMOVED + 1);
  try {
    for (let number = newest; number >= oldest; number -= 1) {
      if (!(await removeJob({ ...context, number }))) return;
    }
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isApiError(error)) throw error;
    const { namespace, name } = context.run;
    context.ports.log.warn({ err: error, namespace, hookRun: name }, 'an old Job of a HookRun could not be removed');
  }
}

/** False: there is none of this run. */
async function removeJob(context: ProviderContext): Promise<boolean> {
  const { ports, run, signal } = context;
  const job = await findObject(ports.client, JOBS, { namespace: run.namespace, name: jobName(context) }, { signal });
  if (job === undefined || !isOfRun(job, run)) return false;
  if (job.metadata.deletionTimestamp !== undefined) return true;
  const options = { uid: job.metadata.uid, propagationPolicy: 'Background', signal } as const;
  await ports.client.delete(JOBS, job.metadata, options).catch((error) => {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  });
  return true;
}

async function createJob(provider: JobProvider, context: ProviderContext): Promise<Job | undefined> {
  const { ports, run, signal } = context;
  const name = jobName(context);
  const { labels, annotations } = provider.metadata ?? {};
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...{ name, namespace: run.namespace, annotations: { ...annotations, [HELD_ANNOTATION]: 'true' } },
      labels: { ...labels, [HOOK_RUN_UID_LABEL]: run.uid },
      ownerReferences: [
        { apiVersion: API_VERSION, kind: HOOK_RUN.kind, name: run.name, uid: run.uid, controller: true },
      ],
    },
    spec: { ...renderJobSpec(provider.spec, context.args), suspend: true },
  };
  try {
    return await ports.client.create(JOBS, job, { signal });
  } catch (error) {
    // Somebody was faster, or an answer was lost: the next look finds it.
    if (isApiError(error, 'alreadyExists')) return undefined;
    throw error;
  }
}

/**
 * A Job is created suspended and let go once it is known to be there: a create that arrives late, after its run was ended, starts
 * nothing.
 */
function letGo(job: Job, { spec }: JobProvider, { ports, signal }: ProviderContext): Promise<Job> | Job {
  const { uid, annotations, deletionTimestamp } = job.metadata;
  if (annotations?.[HELD_ANNOTATION] === undefined || deletionTimestamp !== undefined) return job;
  const metadata = { annotations: { [HELD_ANNOTATION]: null } };
  const patch = mergePatch({ uid }, { metadata, spec: { suspend: spec.suspend ?? false } });
  return ports.client.patch(JOBS, job.metadata, patch, { signal });
}

/** Of the run as it is, not of its name: another run under the name must not find this Job. */
function jobName({ run, metricName, number }: Pick<ProviderContext, 'run' | 'metricName' | 'number'>): string {
  const hash = shortHash(JSON.stringify([run.uid, metricName, number]));
  const prefix = run.name.slice(0, MAX_NAME_LENGTH - hash.length - 1).replace(/[^a-z0-9]+$/, '');
  return `${prefix.replaceAll('.', '-')}-${hash}`;
}

const isOfRun = ({ metadata }: Job, run: MeasuredRun): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === run.uid) === true;

/** A hash can meet another one: a Job that is not of this run says nothing about it. */
function refuseForeign(job: Job, run: MeasuredRun): void {
  if (isOfRun(job, run)) return;
  throw new ProviderProblem(
    FIELD,
    `Job ${run.namespace}/${job.metadata.name} is there already and belongs to somebody else`,
  );
}

/** The error where nobody knows whether it was done: a later look finds out, and meanwhile people read why. */
async function unlessUndecided<T>({ signal }: ProviderContext, call: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    if (isApiError(error, ...UNDECIDED)) return error;
    if (isApiError(error)) throw new ProviderProblem(FIELD, refusalOf(error));
    throw error;
  }
}

function refusalOf({ message, reason, details }: ApiError): string {
  if (reason === 'forbidden') return `the Job may not be created or read: ${message}`;
  const [cause] = details?.causes ?? [];
  return cause === undefined
    ? `the Job is refused: ${message}`
    : `the Job is refused: ${cause.field}: ${cause.message}`;
}

async function judge(job: Job, context: ProviderContext): Promise<ProviderAnswer> {
  const { namespace, name, deletionTimestamp } = job.metadata;
  const end = endOf(job);
  if (end === undefined && deletionTimestamp !== undefined) {
    throw new ProviderProblem(FIELD, `Job ${namespace}/${name} was deleted before it ended`);
  }
  if (end === undefined) return lookAgain(`waits for Job ${name}${progressOf(job)}`, startOf(job));
  return {
    verdict: end.verdict,
    message: await describeJobEnd(job, end.why, context),
    shown: name,
    startedAt: startOf(job),
  };
}

interface JobEnd {
  verdict: 'Successful' | 'Failed';
  why: string;
}

function endOf({ status }: Job): JobEnd | undefined {
  const holding = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
  if (holding.some(({ type }) => type === 'Complete')) return { verdict: 'Successful', why: '' };
  const failed = holding.find(({ type }) => type === 'Failed');
  return failed && { verdict: 'Failed', why: failed.reason ?? 'it failed' };
}

function progressOf({ status: { active = 0, failed = 0 } = {} }: Job): string {
  if (failed > 0) return `, ${failed} of its pods failed`;
  return active === 0 ? ', no pod of it does yet' : '';
}

const startOf = ({ metadata }: Job) => metadata.creationTimestamp;

function lookAgain(pending: string, startedAt: string | undefined): ProviderAnswer {
  return { pending, againInMs: LOOK_AGAIN_MS, ...(startedAt !== undefined && { startedAt }) };
}
