/**
 * Choosing a pod for a move that has a gate: the mark on the pod first, then the HookRun that must succeed; and taking the
 * choice back (protocol §3, "Gate hooks and scale-in").
 */
import { runsAskedBefore } from '../core/hooks/asked-before.ts';
import { isTerminal } from '../core/hooks/phases.ts';
import { ATTEMPT_LABEL, POD_UID_LABEL } from '../core/keys.ts';
import { gateRunOf } from '../core/plan/gate-runs.ts';
import { runsNamedBy } from '../core/plan/pod-view.ts';
import { hasFailed } from '../core/plan/stray-runs.ts';
import type { Move } from '../core/plan/types.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { mergePatch } from '../kubernetes/patches.ts';
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
  const built = runToAsk(pod, item, facts);
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
    const { name, namespace = '', uid = '' } = metadata;
    await dropHookRun(tools, { namespace, name, uid }, (err) =>
      ports.log.warn({ err, hookRun: name }, 'a HookRun was not removed'),
    );
  }
}

/** Either the HookRun to create, or why there can be none. */
function runToAsk(pod: Pod, item: MarkMove, { workload, input }: Facts): { hookRun: HookRun } | { message: string } {
  const template = input.hookTemplates[item.template];
  const built = template && gateRunOf(pod, item.mark, { workload, template, revisions: input.revisions });
  return built ?? { message: `HookTemplate ${item.template} is not there.` };
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

/**
 * The run of this name that was made for the pod, as the store knows it. Whoever may write pods may write any name into a mark: it
 * counts for a run of the workload that carries the uid of the pod, and for no other.
 */
export const runOfPod = (
  name: string,
  podUid: string | undefined,
  hookRuns: readonly HookRun[],
): HookRun | undefined =>
  podUid === undefined
    ? undefined
    : hookRuns.find(({ metadata }) => metadata.name === name && metadata.labels?.[POD_UID_LABEL] === podUid);

/** Tells a run to end; its verdict says that it did. */
export async function endHookRun(tools: WriteTools, { metadata }: HookRun, ledger: MoveLedger): Promise<Outcome> {
  const notAfter = tools.fence.notAfter?.(false);
  try {
    ledger.saw('hookruns', await tools.client.patch(hookRunType, metadata, terminatePatch(metadata.uid), { notAfter }));
    return { result: 'done' };
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'refused' ? { result: 'refused', message: failure.message } : { result: 'moved' };
  }
}

const terminatePatch = (uid: string | undefined) => mergePatch({ uid }, { spec: { terminate: true } });

/** Where a HookRun is removed from, and what is known of runs. */
interface DropScene {
  ports: Pick<Ports, 'log'>;
  tools: WriteTools;
  namespace: string;
  facts: Pick<Facts, 'input'>;
}

/** The pod was written, or is on its way out: runs that it waited for before are used up or discarded. One that failed is kept. */
export async function dropUsedRuns(scene: DropScene, before: Pod | undefined, after?: Pod): Promise<void> {
  const { ports, tools, namespace, facts } = scene;
  if (before === undefined) return;
  const awaited = after === undefined ? [] : runsNamedBy(after);
  for (const name of runsNamedBy(before).filter((each) => !awaited.includes(each))) {
    const known = runOfPod(name, before.metadata.uid, facts.input.hookRuns);
    // One that the store has not seen yet is found by the next report, by then nobody waits for it.
    if (known === undefined || hasFailed(known)) continue;
    const { uid = '' } = known.metadata;
    const ref = { namespace, name, uid, isOver: isTerminal(known.status?.phase), keepsFailed: true };
    await dropHookRun(tools, ref, (err) => ports.log.warn({ err, hookRun: name }, 'a HookRun was not removed'));
  }
}

interface DropRef {
  namespace: string;
  name: string;
  /** Another run under the name is left alone. */
  uid: string;
  /** It has its verdict: nobody has to be told to stop. */
  isOver?: boolean;
  /** One that has failed meanwhile stays: what is known of it may be seconds old. */
  keepsFailed?: boolean;
}

/** Ends and removes a HookRun that no pod waits for. One that cannot be removed now does no harm: no mark names it. */
export async function dropHookRun(
  tools: WriteTools,
  { isOver = false, keepsFailed = false, uid, ...ref }: DropRef,
  onProblem: (error: unknown) => void,
): Promise<void> {
  if (!tools.fence.isOpen(false)) return;
  const notAfter = tools.fence.notAfter?.(false);
  try {
    const ended = isOver ? undefined : await tools.client.patch(hookRunType, ref, terminatePatch(uid), { notAfter });
    if (keepsFailed && ended !== undefined && hasFailed(ended)) return;
    await tools.client.delete(hookRunType, ref, { uid, propagationPolicy: 'Background', notAfter });
  } catch (error) {
    if (!isApiError(error, 'notFound')) onProblem(error);
  }
}
