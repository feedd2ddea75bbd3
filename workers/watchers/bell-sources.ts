/** Turns changes of the stores into bells. Decides what rings, never when; knows nothing of Temporal. */
import { ownerKeyOf, WORKLOAD_KINDS, workloadStoreOf, workloadsIn } from '../../activities/kinds.ts';
import type { Stores } from '../../activities/ports.ts';
import { isConcernedBy } from '../../core/adoption.ts';
import { isClaimOf } from '../../core/claims.ts';
import { isTerminal } from '../../core/hooks/phases.ts';
import { hasController } from '../../core/ownership.ts';
import { standingNames } from '../../core/revisions.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../../crds/kubernetes.ts';
import type { StoreChange } from '../../kubernetes/store-reader.ts';
import type { BellBoard } from './bell-board.ts';
import { hookRunKey, ownerKey, workloadKey } from './bell-keys.ts';
import {
  effectProjection,
  hookRunProjection,
  isUnseen,
  nodeProjection,
  podProjection,
  workloadProjection,
} from './projections.ts';

export interface BellSources {
  stores: Stores;
  board: BellBoard;
  /** Told after each change that may have pressed a bell. */
  onPress: () => void;
}

/** Listens until the answer is called. What moves already is learned at once. */
export function listenForBells({ stores, board, onPress }: BellSources): () => void {
  for (const workload of workloadsIn(stores)) board.sawMoving(workloadKey(workload), isUnderWay(workload));
  const then =
    <T>(hear: (change: StoreChange<T>) => void) =>
    (change: StoreChange<T>) => {
      hear(change);
      onPress();
    };
  const stops = [
    ...WORKLOAD_KINDS.map((kind) =>
      workloadStoreOf(stores, kind).onChange(then((change) => hearWorkload(board, change))),
    ),
    stores.pods.onChange(then((change) => hearPod(board, stores, change))),
    stores.controllerRevisions.onChange(then((change) => hearRevision(board, stores, change))),
    stores.hookRuns.onChange(then((change) => hearHookRun(board, change))),
    stores.hookTemplates.onChange(then((change) => hearTemplate(board, stores, change))),
    stores.persistentVolumeClaims.onChange(then((change) => hearClaim(board, stores, change))),
    stores.nodes.onChange(then((change) => hearNode(board, stores, change))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function hearWorkload(board: BellBoard, change: StoreChange<GameWorkload>): void {
  const { object } = change;
  const key = workloadKey(object);
  if (differs(change, workloadProjection)) board.press(key, change.kind, 'object');
  if (change.kind === 'deleted') {
    board.forget(key);
    return;
  }
  if (differs(change, effectProjection)) board.sawEffect(key);
  board.sawMoving(key, isUnderWay(object));
}

/** Its workflow is at work, or about to be: it looks at pods by itself, and writes a status in any case when it has done so. */
const isUnderWay = (workload: GameWorkload): boolean => workload.status?.moving === true || isUnseen(workload);

/** One that nobody controls may be adopted, or have a name that is needed. */
function hearPod(board: BellBoard, stores: Stores, change: StoreChange<Pod>): void {
  if (!differs(change, podProjection)) return;
  const { object } = change;
  const before = change.kind === 'modified' ? ownerKey(change.previous) : undefined;
  const concerned = hasController(object) ? [] : workloadsIn(stores).filter((each) => isConcernedBy(each, object));
  const owners = new Set([ownerKey(object), before, ...concerned.map(workloadKey)]);
  for (const key of owners) if (key !== undefined) board.press(key, 'pods', 'pods');
}

/** One that a workload stands on is to be recorded again when it is gone; of the others nobody misses any. */
function hearRevision(board: BellBoard, stores: Stores, change: StoreChange<ControllerRevision>): void {
  const { metadata } = change.object;
  const isLeaving =
    metadata.deletionTimestamp !== undefined && differs(change, ({ metadata: m }) => `${m.deletionTimestamp}`);
  const owner = ownerKeyOf(change.object);
  if (owner === undefined || !(isLeaving || change.kind === 'deleted')) return;
  const workload = workloadStoreOf(stores, owner.kind).get(owner);
  if (workload !== undefined && standingNames(workload.status).has(metadata.name))
    board.press(workloadKey(workload), 'revision', 'pods');
}

function hearHookRun(board: BellBoard, change: StoreChange<HookRun>): void {
  const key = hookRunKey(change.object.metadata);
  const isOver = isTerminal(change.object.status?.phase);
  if (differs(change, workloadProjection) && (change.kind === 'deleted' || !isOver))
    board.press(key, change.kind, 'object');
  if (change.kind === 'deleted') board.forget(key);
  const owner = ownerKey(change.object);
  if (owner !== undefined && differs(change, hookRunProjection)) board.press(owner, 'hook', 'pods');
}

/** A template that appears or changes may be the one that a workload waits for. */
function hearTemplate(board: BellBoard, stores: Stores, change: StoreChange<HookTemplate>): void {
  if (!differs(change, workloadProjection)) return;
  const { namespace, name } = change.object.metadata;
  for (const workload of workloadsIn(stores)) {
    if (workload.metadata.namespace !== namespace) continue;
    if (JSON.stringify(workload.spec).includes(`"templateName":${JSON.stringify(name)}`))
      board.press(workloadKey(workload), 'hook-template', 'pods');
  }
}

/** A pod may wait for a claim to go, or have lost it. One that comes shows by the pod that mounts it. */
function hearClaim(board: BellBoard, { gameStatefulSets }: Stores, change: StoreChange<KubernetesObject>): void {
  if (change.kind !== 'deleted') return;
  const { namespace, name } = change.object.metadata;
  for (const set of gameStatefulSets.list())
    if (set.metadata.namespace === namespace && isClaimOf(set, name)) board.press(workloadKey(set), 'claim', 'pods');
}

function hearNode(board: BellBoard, { pods }: Stores, change: StoreChange<Node>): void {
  if (!differs(change, nodeProjection)) return;
  const owners = new Set(
    pods
      .list()
      .filter(({ spec }) => spec.nodeName === change.object.metadata.name)
      .map(ownerKey),
  );
  for (const key of owners) if (key !== undefined) board.press(key, 'node', 'pods');
}

function differs<T>(change: StoreChange<T>, projection: (object: T) => string): boolean {
  return change.kind !== 'modified' || projection(change.previous) !== projection(change.object);
}
