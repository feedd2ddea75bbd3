/** Who still needs a HookRun that has ended: it reads the verdict from the object, and would ask the game once more if it found none. */

import { isOfStep, isStepOpen } from '../../core/hooks/expiry.ts';
import { CANARY_STEP_LABEL, INSTANCE_LABEL, POD_UID_LABEL } from '../../core/keys.ts';
import { controllerOf } from '../../core/ownership.ts';
import { runsNamedBy } from '../../core/plan/pod-view.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { findObject } from '../../kubernetes/find-object.ts';
import { pods } from '../../kubernetes/resource-types.ts';
import { WORKLOAD_KINDS, workloadTypeOf } from '../kinds.ts';

type Reader = Pick<KubernetesClient, 'get'>;
type Owner = NonNullable<HookRun['metadata']['ownerReferences']>[number];

/** In words; undefined when nobody needs it. @throws ApiError when the API server does not answer. */
export async function holderOf(client: Reader, run: HookRun, signal?: AbortSignal): Promise<string | undefined> {
  const owner = controllerOf(run);
  if (owner === undefined) return undefined;
  return isOfStep(run) ? await stepOf(client, run, owner, signal) : await gateOf(client, run, owner, signal);
}

/** The pod whose mark names this run (decision 36). Pods of both kinds are named after their workload and instance. */
async function gateOf(
  client: Reader,
  { metadata: { namespace, name, labels = {} } }: HookRun,
  owner: Owner,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [uid, instance] = [labels[POD_UID_LABEL], labels[INSTANCE_LABEL]];
  if (uid === undefined || instance === undefined) return undefined;
  const pod = await findObject(client, pods, { namespace, name: `${owner.name}-${instance}` }, { signal });
  const isHeld = pod !== undefined && pod.metadata.uid === uid && runsNamedBy(pod).includes(name);
  return isHeld ? `the gate of pod ${pod.metadata.name}` : undefined;
}

/** The step of a canary that is not known to be passed. */
async function stepOf(
  client: Reader,
  run: HookRun,
  owner: Owner,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { namespace, labels } = run.metadata;
  const kind = WORKLOAD_KINDS.find((known) => known === owner.kind);
  if (kind === undefined) return undefined;
  const workload = await findObject(client, workloadTypeOf(kind), { namespace, name: owner.name }, { signal });
  const isHeld = workload !== undefined && workload.metadata.uid === owner.uid && isStepOpen(run, workload);
  return isHeld ? `step ${labels?.[CANARY_STEP_LABEL]} of ${kind} ${owner.name}` : undefined;
}
