/**
 * Proves a template before anything moves to it: it is one of the workload's own, and the API takes such a pod, which one POST asks
 * that stores nothing (protocol §5).
 */
import { isGameStatefulSet } from '../core/kinds.ts';
import { newPod } from '../core/new-pod.ts';
import { firstOrdinals, ordinalPodName } from '../core/ordinals.ts';
import type { Revision } from '../core/plan/types.ts';
import { sourceOf } from '../core/proof-field.ts';
import { selectorFault } from '../core/selector-fault.ts';
import { sentence } from '../core/status/sentence.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { type ApiError, isApiError } from '../kubernetes/errors.ts';
import { pods } from '../kubernetes/resource-types.ts';
import type { Ports } from './ports.ts';

/** As long as a real instance id, so that a name that is too long is found out as well. */
const INSTANCE_ID = 'proof';

const REFUSALS = ['invalid', 'badRequest', 'forbidden', 'alreadyExists', 'notFound'] as const;

/** The name that a pod of the workload may have; of a GameStatefulSet the longest. */
function proofName(workload: GameWorkload): string {
  const { name } = workload.metadata;
  if (!isGameStatefulSet(workload)) return `${name}-${INSTANCE_ID}`;
  const { replicas = 1, reserveOrders } = workload.spec;
  return ordinalPodName(name, firstOrdinals(Math.max(1, replicas), new Set(reserveOrders)).at(-1) ?? 0);
}

type ProofPorts = Pick<Ports, 'client' | 'lanes'>;

/** The pod that `proveTemplate` and `examplePod` send; it is stored nowhere. */
function ask({ client, lanes }: ProofPorts, workload: GameWorkload, revision: Revision, signal: AbortSignal) {
  const pod = newPod(workload, revision, proofName(workload));
  const { namespace = '' } = workload.metadata;
  const send = (): Promise<Pod> => client.create(pods, pod, { dryRun: true, signal });
  return lanes.proofs(namespace, () => signal.aborted, send);
}

/**
 * What the API, admission included, makes of a pod of the spec's template; undefined where it refuses.
 * @throws ApiError when the API gave no answer.
 */
export async function examplePod(ports: ProofPorts, workload: GameWorkload, signal: AbortSignal) {
  try {
    return await ask(ports, workload, { name: INSTANCE_ID, number: 0, template: workload.spec.template }, signal);
  } catch (error) {
    if (isApiError(error, ...REFUSALS)) return undefined;
    throw error;
  }
}

/**
 * One sentence with the field's path where the selector would not match the pod, or the API refuses its content (400, 422);
 * undefined where it accepts it, or
 * where it refuses for another reason (quota, policy): that may be over by the time a pod is created.
 * @throws ApiError when the API gave no answer to the question.
 */
export async function proveTemplate(
  ports: ProofPorts,
  workload: GameWorkload,
  revision: Revision,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fault = selectorFault(workload);
  if (fault !== undefined) return sentence(fault);
  try {
    await ask(ports, workload, revision, signal);
    return undefined;
  } catch (error) {
    if (isApiError(error, 'invalid', 'badRequest')) return refusalOf(workload, error);
    if (isApiError(error, ...REFUSALS)) return undefined;
    throw error;
  }
}

function refusalOf(workload: GameWorkload, { message, details }: ApiError): string {
  const [first, ...others] = details?.causes ?? [];
  if (first === undefined) return sentence(`The API refuses spec.template: ${message}`);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const complaint = first.message.replace(/[.\s]+$/, '');
  return sentence(`The API refuses ${sourceOf(workload, first.field ?? '')}: ${complaint}${more}`);
}
