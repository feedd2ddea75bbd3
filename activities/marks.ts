/**
 * Choosing a pod for a move that has a gate: the mark on the pod first, then the HookRun that must succeed; and taking the
 * choice back (protocol §3, "Gate hooks and scale-in").
 */
import { podArguments } from '../core/hooks/arguments.ts';
import { runsAskedBefore } from '../core/hooks/asked-before.ts';
import { buildHookRun } from '../core/hooks/hook-run.ts';
import { ATTEMPT_LABEL, POD_UID_LABEL } from '../core/keys.ts';
import type { Move } from '../core/plan/types.ts';
import { instanceIdOf, revisionOf } from '../core/pods.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import type { MoveLedger } from './move-ledger.ts';
import type { Facts } from './observation.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { type PodPatch, patchPod, type WriteTools } from './pod-writes.ts';
import { hookRunType, type Ports } from './ports.ts';

type MarkMove = Extract<Move, { act: 'mark' }>;

interface MarkScene {
  ports: Pick<Ports, 'log'>;
  tools: WriteTools;
  pod: Pod;
  item: MarkMove;
  patch: PodPatch;
  facts: Facts;
  ledger: MoveLedger;
}

/** Marks the pod, or finds it marked, and creates the HookRun that the mark names. */
export async function markPod(scene: MarkScene): Promise<Outcome> {
  const { tools, pod, item, patch, facts, ledger } = scene;
  const built = gateRunOf(pod, item, facts);
  if ('message' in built) return { result: 'refused', message: built.message };
  const marked: Outcome = patch.isDone(pod) ? { result: 'done', pod } : await patchPod(tools, pod, patch);
  if (marked.result !== 'done') return marked;
  const created = await createHookRun(tools, built.hookRun, ledger);
  // Without its HookRun the mark is repeated by the next plan; nothing is spent meanwhile.
  if (created !== undefined) return created;
  await dropRunsAskedBefore(scene);
  return marked;
}

/** The question is asked anew for this very pod (decision 36): an existing operator's would be asked beside it, maybe for ever. */
async function dropRunsAskedBefore({ ports, tools, pod, facts }: MarkScene): Promise<void> {
  for (const { metadata } of runsAskedBefore(pod, facts.input.hookRuns)) {
    const { name, namespace = '' } = metadata;
    await dropHookRun(tools, { namespace, name }, (err) =>
      ports.log.warn({ err, hookRun: name }, 'a HookRun was not removed'),
    );
  }
}

/** Either the HookRun to create, or why there can be none. */
function gateRunOf(pod: Pod, item: MarkMove, facts: Facts): { hookRun: HookRun } | { message: string } {
  const { workload, input } = facts;
  const step = workload.spec.preDeleteUpdateStrategy?.hook;
  const template = input.hookTemplates[item.template];
  if (step === undefined || template === undefined) return { message: `HookTemplate ${item.template} is not there.` };
  const built = buildHookRun({
    template,
    step,
    owner: workload,
    purpose: {
      type: 'gate',
      gate: 'predelete',
      podRevision: revisionOf(pod),
      instanceId: instanceIdOf(pod),
      podUid: item.uid,
      attempt: item.mark.attempt,
    },
    builtIns: podArguments(pod),
  });
  if ('unresolved' in built) return { message: built.message };
  const { hookRun } = built;
  // A mark that is repeated keeps the name it was given, whatever the spec says by now.
  return { hookRun: { ...hookRun, metadata: { ...hookRun.metadata, name: item.mark.hookRun } } };
}

/** Undefined where the HookRun exists now. */
async function createHookRun(tools: WriteTools, hookRun: HookRun, ledger: MoveLedger): Promise<Outcome | undefined> {
  if (!tools.fence.isOpen(false)) return { result: 'moved' };
  try {
    ledger.saw(
      'hookruns',
      await tools.client.create(hookRunType, hookRun, { notAfter: tools.fence.notAfter?.(false) }),
    );
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === 'refused' || failure.kind === 'invalid')
      return { result: 'refused', message: failure.message };
    return findHookRun(tools, hookRun, ledger);
  }
}

async function findHookRun(tools: WriteTools, wanted: HookRun, ledger: MoveLedger): Promise<Outcome | undefined> {
  try {
    const found = await tools.client.get(hookRunType, wanted.metadata);
    ledger.saw('hookruns', found);
    const isOurs = [POD_UID_LABEL, ATTEMPT_LABEL].every(
      (label) => found.metadata.labels?.[label] === wanted.metadata.labels?.[label],
    );
    return isOurs ? undefined : { result: 'refused', message: `HookRun ${wanted.metadata.name} is somebody else's.` };
  } catch {
    return { result: 'moved' };
  }
}

/** Ends and removes a HookRun that no pod waits for. One that cannot be removed now does no harm: no mark names it. */
export async function dropHookRun(
  tools: WriteTools,
  ref: { namespace: string; name: string },
  onProblem: (error: unknown) => void,
): Promise<void> {
  if (!tools.fence.isOpen(false)) return;
  const notAfter = tools.fence.notAfter?.(false);
  try {
    await tools.client.patch(hookRunType, ref, { kind: 'merge', body: { spec: { terminate: true } } }, { notAfter });
    await tools.client.delete(hookRunType, ref, { propagationPolicy: 'Background', notAfter });
  } catch (error) {
    if (!isApiError(error, 'notFound')) onProblem(error);
  }
}
