/** What a Job's pods have to say: how the last one ended, and the last lines that it wrote, with Secrets that it uses masked. */
import type { KubernetesObject } from '../../../crds/kubernetes.ts';
import { isApiError } from '../../../kubernetes/errors.ts';
import { pods, type ResourceType } from '../../../kubernetes/resource-types.ts';
import type { Job } from './job.ts';
import type { ProviderContext } from './types.ts';

interface JobPod extends KubernetesObject {
  status?: {
    reason?: string;
    containerStatuses?: ContainerEnd[];
    initContainerStatuses?: ContainerEnd[];
  };
}

interface ContainerEnd {
  name: string;
  state?: { terminated?: { exitCode: number; reason?: string } };
}

const PODS = pods as unknown as ResourceType<JobPod>;
const TAIL_LINES = 5;
const LIMIT_BYTES = 16_384;
const MAX_LOG_LENGTH = 360;
/** No field of a pod that names a Secret lies so deep. */
const MAX_DEPTH = 32;

/** `why` is what the Job itself says of its end. Never throws for a log that is not there. */
export async function describeJobEnd(job: Job, why: string, context: ProviderContext): Promise<string> {
  const { namespace, name } = job.metadata;
  const pod = await lastPod(job, context);
  const start = why === '' ? '' : `Job ${name}: ${why}`;
  if (pod === undefined) return joined(start, `no pod of Job ${name} is left to ask`);
  const container = tellingContainer(pod);
  const exit = container?.state?.terminated;
  const ended =
    exit === undefined || exit.exitCode === 0 ? '' : `container ${container?.name} ended with ${exit.exitCode}`;
  await Promise.all(secretNames(job).map((secret) => context.secrets.maskAll(secret)));
  const log = await readTail(context, { namespace, name: pod.metadata.name }, container?.name ?? firstContainer(job));
  return joined(start, ended, log);
}

const joined = (...clauses: string[]) => clauses.filter((clause) => clause !== '').join('; ');

async function lastPod({ metadata }: Job, { ports, signal }: ProviderContext): Promise<JobPod | undefined> {
  const labelSelector = `batch.kubernetes.io/job-name=${metadata.name}`;
  const { items } = await ports.client.list(PODS, { namespace: metadata.namespace, labelSelector, signal });
  return items.sort((one, other) => startOf(one).localeCompare(startOf(other))).at(-1);
}

const startOf = ({ metadata }: JobPod) => metadata.creationTimestamp ?? '';

/** One that failed says more than the others. */
function tellingContainer({ status }: JobPod): ContainerEnd | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const failed = all.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  return failed ?? status?.containerStatuses?.[0];
}

const firstContainer = (job: Job) => job.spec.template.spec.containers[0]?.name ?? '';

async function readTail(context: ProviderContext, pod: { namespace?: string; name: string }, container: string) {
  const { ports, secrets, signal } = context;
  try {
    const log = await ports.client.readLog(pod, { container, tailLines: TAIL_LINES, limitBytes: LIMIT_BYTES, signal });
    // Of what the server sent, in bytes: what is masked is shorter.
    const isCut = Buffer.byteLength(log) >= LIMIT_BYTES;
    const text = lastLines(secrets.redact(log), isCut);
    if (text !== '') return `log: ${text}`;
    return isCut ? `the last line of pod ${pod.name} is too long to be shown` : `pod ${pod.name} wrote no log`;
  } catch (error) {
    if (!isApiError(error)) throw error;
    signal.throwIfAborted();
    const why = error.reason === 'forbidden' ? 'the controller may not read it' : 'its node does not hand it out';
    return `the log of pod ${pod.name} is not shown, ${why}`;
  }
}

function lastLines(log: string, isCut: boolean): string {
  const lines = log.split('\n').map((line) => line.replace(/\p{Cc}+/gu, ' ').trim());
  // Where the server cut the log half of a secret may be left at its end, which nothing masks.
  if (isCut) lines.pop();
  const text = lines.filter((line) => line !== '').join(' | ');
  return text.length > MAX_LOG_LENGTH ? `…${text.slice(-MAX_LOG_LENGTH)}` : text;
}

/** Every Secret that the pods of the Job can see. */
function secretNames(job: Job): string[] {
  const names = new Set<string>();
  collect(job.spec.template.spec, names);
  return [...names];
}

/** By the fields that Kubernetes has for it, wherever they stand: env, envFrom, volumes, projected volumes. */
function collect(value: unknown, names: Set<string>, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [key, child] of Object.entries(value)) {
    const isReference = ['secretKeyRef', 'secretRef', 'secret'].includes(key);
    const { name, secretName } = (typeof child === 'object' && child !== null ? child : {}) as Record<string, unknown>;
    for (const found of [name, secretName]) if (isReference && typeof found === 'string') names.add(found);
    collect(child, names, depth + 1);
  }
}
