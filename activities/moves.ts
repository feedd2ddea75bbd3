/**
 * The move activities: carry out at most 200 planned moves, concurrently, each with an outcome of its own under the write
 * protocol (protocol §2). What is moved was decided by the planner; here it is only done, or found not to be wanted.
 */
import { newPod } from '../core/new-pod.ts';
import { mayHarm } from '../core/plan/spending.ts';
import { stillWanted } from '../core/plan/still-wanted.ts';
import type { Move } from '../core/plan/types.ts';
import { withIndex } from '../core/pod-index.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { type Attempt, whileBeating } from './attempt.ts';
import { createClaims } from './claims.ts';
import { isOnLostNode } from './lost-nodes.ts';
import { dropUsedRuns, endHookRun, markPod, runOfPod } from './marks.ts';
import { type Agenda, agendaOf, maySentBefore } from './move-agenda.ts';
import { MoveLedger } from './move-ledger.ts';
import { NewGates } from './new-gates.ts';
import type { Facts } from './observation.ts';
import type { Outcome } from './outcome.ts';
import { type PatchContext, type PatchMove, patchFor, RevisionMissing } from './pod-patches.ts';
import { createPod, deletePod, type PodPatch, patchPod, type WriteTools } from './pod-writes.ts';
import type { Ports } from './ports.ts';
import { readWorkload } from './sources.ts';
import { joinFences, patienceWithPods } from './store-fence.ts';
import { judgeTaken } from './taken-names.ts';
import type { MoveRequest, MoveResult } from './types.ts';
import { WriteFence } from './write-fence.ts';

/** Items of one attempt that are under way, or wait for a lane: fewer than there are lanes, so that others have some. */
const CONCURRENCY = 12;

/**
 * One attempt. Never throws for what happens to an item; a cancelled attempt returns what became of those it had begun.
 * @throws ApiError when the plan is too old and cannot be made again.
 */
export async function runMoves(ports: Ports, request: MoveRequest, attempt: Attempt): Promise<MoveResult> {
  let plannedAtMs = request.asOfMs;
  const fence = new WriteFence({
    attempt,
    monotonicMs: ports.monotonicMs,
    isPodWatchFresh: () => ports.stores.pods.isFresh(),
    planAgeMs: () => Math.abs(ports.nowMs() - plannedAtMs),
  });
  try {
    const planned = (asOfMs: number) => {
      plannedAtMs = asOfMs;
    };
    return await whileBeating(attempt, () => carryOutAll(ports, request, { attempt, fence, planned }));
  } finally {
    fence.close();
  }
}

interface Scene {
  ports: Ports;
  tools: WriteTools;
  namespace: string;
  facts: Facts;
  ledger: MoveLedger;
  /** Of pods that were created; no item waits for them, the attempt does. */
  gates: NewGates;
  isPlanOld: () => boolean;
  /** Waits for the pod watch, not for ever. */
  untilFresh: () => Promise<void>;
  /** The apiserver has the workload, and nobody deletes it; asked once an attempt. */
  isAlive: () => Promise<boolean>;
}

/** The same for all rounds of an attempt. */
type Stage = Omit<Scene, 'facts'>;

interface Work {
  attempt: Attempt;
  fence: WriteFence;
  /** Tells the fence how old the facts of the present plan are. */
  planned: (asOfMs: number) => void;
}

async function carryOutAll(ports: Ports, request: MoveRequest, work: Work): Promise<MoveResult> {
  const { attempt, fence } = work;
  const ledger = new MoveLedger(attempt.number > 1, maySentBefore(request, attempt));
  const tools: WriteTools = { client: ports.client, fence, nowMs: ports.nowMs };
  const opened = (pod: Pod) => ledger.saw('pods', pod);
  const gates = new NewGates({ ports, tools, signal: attempt.signal, owner: request.uid, opened });
  let alive: Promise<boolean> | undefined;
  const isAlive = () => (alive ??= isStillThere(ports, request));
  const { namespace } = request.key;
  try {
    const untilFresh = patienceWithPods(ports, () => !fence.isOpen(false));
    const stage = { ports, tools, namespace, ledger, gates, isPlanOld: () => fence.isPlanOld(), untilFresh, isAlive };
    await carryOutRounds(stage, request, work);
    await gates.settled();
  } finally {
    await gates.close();
  }
  const result = ledger.result();
  const { done, moved, unresolved, refusal } = result;
  ports.log.info({ workload: request.key, done, moved, unresolved: unresolved.length, refusal }, 'moves made');
  return result;
}

/** What is left when the plan has grown too old to spend on is planned again on newer facts. */
async function carryOutRounds(stage: Stage, request: MoveRequest, work: Work): Promise<void> {
  const { ports, ledger } = stage;
  const isOver = () => !work.fence.isOpen(false);
  let round = request;
  for (let isLater = false; round.items.length > 0; isLater = true) {
    const begun = await ports.lanes.enter(isOver, () => beginRound(stage, round, work, isLater));
    if (begun === undefined) break;
    round = nextRound(request, begun.agenda, await begun.left, ledger.result());
    if (isOver()) break;
  }
  for (const item of round.items) ledger.add(item, { result: 'moved' });
}

/** Undefined where the attempt has ended. `left` resolves when the items have been tried, see `carryOutItems`. */
async function beginRound(stage: Stage, round: MoveRequest, { attempt, fence, planned }: Work, isLater: boolean) {
  const { ports, ledger } = stage;
  if (!fence.isOpen(false)) return undefined;
  const agenda = await agendaUnlessEnded(ports, round, attempt, isLater);
  if (agenda === undefined) return undefined;
  planned(agenda.asOfMs);
  ledger.drop(agenda.dropped);
  for (const item of agenda.open) ledger.add(item, { result: 'unknown' });
  return { agenda, left: carryOutItems(agenda, stage) };
}

/** Undefined where the attempt was ended meanwhile: it answers what it knows, or all that it did would be in doubt. */
async function agendaUnlessEnded(ports: Ports, round: MoveRequest, attempt: Attempt, isLater: boolean) {
  try {
    return await agendaOf(ports, round, attempt, isLater);
  } catch (error) {
    if (!attempt.signal.aborted) throw error;
    return undefined;
  }
}

/** What this attempt sent without an answer counts as spent in its own next plan, too. */
function nextRound(request: MoveRequest, { facts }: Agenda, items: Move[], sent: MoveResult): MoveRequest {
  const unresolved = [...request.context.unresolved, ...sent.unresolved];
  const fence = joinFences(facts?.fence ?? request.fence, sent);
  return { ...request, items, fence, context: { ...request.context, unresolved } };
}

/** Answers the items that were not tried because the plan is too old for them. */
async function carryOutItems({ items, facts }: Agenda, stage: Stage): Promise<Move[]> {
  if (facts === undefined) return [];
  const scene: Scene = { ...stage, facts };
  const left: Move[] = [];
  const attend = async (planned: Move) => {
    if (mayHarm(planned) && scene.isPlanOld()) left.push(planned);
    else await carryOutItem(planned, scene);
  };
  // One iterator for all: each worker takes the next item that nobody has taken. What may do harm may have to wait for the watch.
  const queue = [...items.filter((item) => !mayHarm(item)), ...items.filter(mayHarm)].values();
  const work = async () => {
    for (const planned of queue) {
      if (mayHarm(planned)) await scene.untilFresh();
      // What is over has nothing to wait for, nor has what must be planned again.
      const isOver = () => !scene.tools.fence.isOpen(false) || (mayHarm(planned) && scene.isPlanOld());
      if (isOver()) await attend(planned);
      else await scene.ports.lanes.moves(scene.namespace, isOver, () => attend(planned));
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work));
  return left;
}

async function carryOutItem(planned: Move, scene: Scene): Promise<void> {
  const { item, outcome } = await carryOut(planned, scene);
  scene.ledger.add(item, outcome);
  scene.ports.metrics.moveEnded(item.act, outcome.result);
}

/** How an item ended; `item` is the image patch where the gate was closed and the patch after it was not answered. */
interface End {
  item: Move;
  outcome: Outcome;
}

/** A failure that nobody thought of leaves the item unknown: it stays spent until it is settled. */
async function carryOut(item: Move, scene: Scene): Promise<End> {
  try {
    return await perform(item, scene);
  } catch (error) {
    if (error instanceof RevisionMissing) return { item, outcome: { result: 'refused', message: error.message } };
    scene.ports.log.warn({ err: error, act: item.act, pod: item.pod }, 'a move failed unexpectedly');
    return { item, outcome: { result: 'unknown' } };
  }
}

async function perform(item: Move, scene: Scene): Promise<End> {
  if (item.act === 'create') return { item, outcome: await performCreate(item, scene) };
  if (item.act === 'delete') return { item, outcome: await performDelete(item, scene) };
  if (!scene.tools.fence.isOpen(false)) return { item, outcome: { result: 'moved' } };
  if (item.act === 'end-hook') {
    const hookRun = runOfPod(item.hookRun, item.uid, scene.facts.input.hookRuns);
    if (hookRun === undefined) return { item, outcome: { result: 'moved' } };
    return { item, outcome: await endHookRun(scene.tools, hookRun, scene.ledger) };
  }
  if (item.act === 'adopt' && !(await scene.isAlive())) return { item, outcome: { result: 'moved' } };
  const patch = patchFor(item, patchContext(scene));
  const met = await meetPod(item, patch, scene);
  if ('result' in met) return { item, outcome: met };
  if (item.act === 'close-gate') return closeGate(item, { ...scene, patch, pod: met.pod });
  return { item, outcome: await performPatch(item, { ...scene, patch, pod: met.pod }) };
}

/** A dead object must not take the pods of the one that comes after it (kubernetes-controllers §2.1). */
async function isStillThere(ports: Ports, { key, uid }: MoveRequest): Promise<boolean> {
  const workload = await readWorkload(ports, key);
  return workload?.metadata.uid === uid && workload.metadata.deletionTimestamp === undefined;
}

async function performCreate(item: Extract<Move, { act: 'create' }>, scene: Scene): Promise<Outcome> {
  const { workload, input } = scene.facts;
  const revision = input.revisions.find(({ name }) => name === item.revision);
  if (revision === undefined) throw new RevisionMissing(`Revision ${item.revision} is not recorded.`);
  const hindrance =
    item.claims === undefined ? undefined : await createClaims(item.claims, item.pod, { ...scene, workload });
  const outcome = hindrance ?? (await createPod(scene.tools, withIndex(newPod(workload, revision, item.pod), item)));
  if (outcome.result === 'done' && outcome.pod !== undefined) scene.gates.add(outcome.pod);
  return outcome.result === 'taken' ? judgeTaken(workload, outcome.pod) : outcome;
}

/** By force only where the apiserver says right before it that the pod's node is lost: the stores may not know yet that it is back. */
async function performDelete(item: Extract<Move, { act: 'delete' }>, scene: Scene): Promise<Outcome> {
  const { tools, namespace, ports } = scene;
  if (item.force === true) {
    const pod = ports.stores.pods.getByUid(item.uid);
    if (pod === undefined || !(await isOnLostNode(ports.client, pod))) return { result: 'moved' };
  }
  const before = ports.stores.pods.getByUid(item.uid);
  const outcome = await deletePod(tools, { ...item, namespace });
  if (outcome.result === 'done') await dropUsedRuns(scene, before);
  return outcome;
}

interface PatchScene extends Scene {
  patch: PodPatch;
  /** In the version that the patch is sent for. */
  pod: Pod;
}

async function performPatch(item: PatchMove, scene: PatchScene): Promise<Outcome> {
  const { tools, pod, patch } = scene;
  const outcome = item.act === 'mark' ? await markPod({ ...scene, item }) : await patchPod(tools, pod, patch);
  if (outcome.result === 'done') await dropUsedRuns(scene, pod, outcome.pod);
  return outcome;
}

/** W1; with `thenPatch` W2 follows on the version that W1 made (protocol §3). */
async function closeGate(item: Extract<Move, { act: 'close-gate' }>, scene: PatchScene): Promise<End> {
  const { tools, pod, patch, ledger } = scene;
  const closed = await patchPod(tools, pod, patch);
  if (!item.thenPatch || closed.result !== 'done' || closed.pod === undefined) return { item, outcome: closed };
  ledger.saw('pods', closed.pod);
  const { uid, revision, reason } = item;
  const resourceVersion = closed.pod.metadata.resourceVersion ?? '';
  const next: Move = { act: 'patch-images', pod: item.pod, uid, resourceVersion, reason, revision, spends: false };
  return {
    item: next,
    outcome: await performPatch(next, { ...scene, pod: closed.pod, patch: patchFor(next, patchContext(scene)) }),
  };
}

const patchContext = ({ facts, tools, ports }: Scene): PatchContext => ({
  workload: facts.workload,
  revisions: facts.input.revisions,
  policy: facts.workload.spec.updateStrategy?.inPlaceUpdateStrategy?.policy,
  nowMs: tools.nowMs,
  newSeed: ports.newSeed,
});

/**
 * The pod in the version that was planned on: from the store, else from the apiserver. A newer version will do where the
 * move spends nothing and is still wanted.
 */
async function meetPod(item: PatchMove, patch: PodPatch, scene: Scene): Promise<Outcome | { pod: Pod }> {
  const stored = scene.ports.stores.pods.getByUid(item.uid);
  if (stored?.metadata.resourceVersion === item.resourceVersion) return { pod: stored };
  const pod = await readPod(item, scene);
  if (pod === 'unreadable') return { result: 'moved' };
  if (pod === undefined || pod.metadata.uid !== item.uid) return { result: 'gone' };
  if (pod.metadata.resourceVersion === item.resourceVersion) return { pod };
  // A mark that is there already may still lack its HookRun.
  if (patch.isDone(pod)) return item.act === 'mark' ? { pod } : { result: 'done', pod };
  return !patch.spends && stillWanted(pod, item) ? { pod } : { result: 'moved', pod };
}

async function readPod(item: PatchMove, { ports, namespace }: Scene): Promise<Pod | undefined | 'unreadable'> {
  try {
    return await ports.client.get(podType, { namespace, name: item.pod });
  } catch (error) {
    return isApiError(error, 'notFound') ? undefined : 'unreadable';
  }
}
