/** Turns changes of the stores into bells. Decides what rings, never when; knows nothing of Temporal. */
import { isTerminal } from '../../core/hooks/phases.ts';
import { standingNames } from '../../core/revisions.ts';
import { GAME_DEPLOYMENT, GAME_STATEFUL_SET } from '../../crds/api.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../../crds/kubernetes.ts';
import type { StoreChange } from '../../kubernetes/store-reader.ts';
import type { Watched } from '../stores.ts';
import type { BellBoard } from './bell-board.ts';
import { hookRunKey, ownerKey, targetOf, workloadKey } from './bell-keys.ts';
import {
  effectProjection,
  hookRunProjection,
  nodeProjection,
  podProjection,
  workloadProjection,
} from './projections.ts';

export interface BellSources {
  stores: Watched;
  board: BellBoard;
  /** Told after each change that may have pressed a bell. */
  onPress: () => void;
}

/** Listens until the answer is called. What moves already is learned at once. */
export function listenForBells({ stores, board, onPress }: BellSources): () => void {
  for (const { metadata, status } of stores.gameDeployments.list())
    board.sawMoving(workloadKey(GAME_DEPLOYMENT.kind, metadata), status?.moving === true);
  const then =
    <T>(hear: (change: StoreChange<T>) => void) =>
    (change: StoreChange<T>) => {
      hear(change);
      onPress();
    };
  const stops = [
    stores.gameDeployments.onChange(then((change) => hearWorkload(board, change))),
    stores.gameStatefulSets.onChange(then((change) => hearObject(board, GAME_STATEFUL_SET.kind, change))),
    stores.pods.onChange(then((change) => hearPod(board, change))),
    stores.controllerRevisions.onChange(then((change) => hearRevision(board, stores, change))),
    stores.hookRuns.onChange(then((change) => hearHookRun(board, change))),
    stores.hookTemplates.onChange(then((change) => hearTemplate(board, stores, change))),
    stores.nodes.onChange(then((change) => hearNode(board, stores, change))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function hearWorkload(board: BellBoard, change: StoreChange<GameDeployment>): void {
  hearObject(board, GAME_DEPLOYMENT.kind, change);
  const { object } = change;
  const key = workloadKey(GAME_DEPLOYMENT.kind, object.metadata);
  if (change.kind === 'deleted') {
    board.forget(key);
    return;
  }
  if (differs(change, effectProjection)) board.sawEffect(key);
  board.sawMoving(key, object.status?.moving === true);
}

function hearObject(
  board: BellBoard,
  kind: typeof GAME_DEPLOYMENT.kind | typeof GAME_STATEFUL_SET.kind,
  change: StoreChange<KubernetesObject>,
): void {
  if (differs(change, workloadProjection))
    board.press(workloadKey(kind, change.object.metadata), change.kind, 'object');
}

function hearPod(board: BellBoard, change: StoreChange<Pod>): void {
  if (!differs(change, podProjection)) return;
  const owners = new Set([ownerKey(change.object), change.kind === 'modified' ? ownerKey(change.previous) : undefined]);
  for (const key of owners) if (key !== undefined) board.press(key, 'pods', 'pods');
}

/** One that a workload stands on is to be recorded again when it is gone; of the others nobody misses any. */
function hearRevision(board: BellBoard, { gameDeployments }: Watched, change: StoreChange<ControllerRevision>): void {
  const { metadata } = change.object;
  const isLeaving =
    metadata.deletionTimestamp !== undefined && differs(change, ({ metadata: m }) => `${m.deletionTimestamp}`);
  const key = ownerKey(change.object);
  if (key === undefined || !(isLeaving || change.kind === 'deleted')) return;
  if (standingNames(gameDeployments.get(targetOf(key))?.status).has(metadata.name))
    board.press(key, 'revision', 'pods');
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
function hearTemplate(board: BellBoard, { gameDeployments }: Watched, change: StoreChange<HookTemplate>): void {
  if (!differs(change, workloadProjection)) return;
  const { namespace, name } = change.object.metadata;
  for (const { metadata, spec } of gameDeployments.list()) {
    if (metadata.namespace === namespace && JSON.stringify(spec).includes(`"templateName":${JSON.stringify(name)}`))
      board.press(workloadKey(GAME_DEPLOYMENT.kind, metadata), 'hook-template', 'pods');
  }
}

function hearNode(board: BellBoard, { pods }: Watched, change: StoreChange<Node>): void {
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
