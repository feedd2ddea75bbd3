/**
 * Read your writes (protocol §2, rule 6): has this process seen what we wrote? Object resourceVersions are compared
 * within one resource only.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { GAME_STATEFUL_SET } from '../crds/api.ts';
import {
  controllerRevisions,
  hookRuns,
  persistentVolumeClaims,
  pods,
  type ResourceType,
} from '../kubernetes/resource-types.ts';
import { compareResourceVersions } from '../kubernetes/resource-versions.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';
import { type WorkloadKind, workloadStoreOf, workloadTypeOf } from './kinds.ts';
import type { Ports, Stores } from './ports.ts';
import type { Fence, WorkloadKey } from './types.ts';

/** How long a plan waits for its store before it asks the apiserver itself. */
export const FENCE_WAIT_MS = 10_000;

/** One look at a store that is behind costs nothing; this is how often it is repeated. */
const LOOK_EVERY_MS = 50;

type AnyStore = Pick<StoreReader<never>, 'hasReached' | 'highestResourceVersion' | 'isFresh' | 'whenReached'>;

/** What a plan of this kind reads, by resource plural, as fences name them: a watch that it does not need may fail. */
function storesByPlural(stores: Stores, kind: WorkloadKind): Record<string, AnyStore> {
  const claims = { [persistentVolumeClaims.plural]: stores.persistentVolumeClaims };
  return {
    pods: stores.pods,
    [workloadTypeOf(kind).plural]: workloadStoreOf(stores, kind),
    controllerrevisions: stores.controllerRevisions,
    hookruns: stores.hookRuns,
    ...(kind === GAME_STATEFUL_SET.kind ? claims : {}),
  };
}

/** The highest object versions that the stores of a plan have seen, by resource plural. */
export function versionsOf(stores: Stores, kind: WorkloadKind): Record<string, string> {
  const versions = Object.entries(storesByPlural(stores, kind)).map(([plural, store]) => [
    plural,
    store.highestResourceVersion,
  ]);
  return Object.fromEntries(
    versions.filter(([, version]) => version !== 0n).map(([plural, rv]) => [plural, String(rv)]),
  );
}

/** Every store of the plan is fresh, has reached the fence, and shows no pod that must be gone. */
export function isFenceReached(stores: Stores, kind: WorkloadKind, fence: Fence): boolean {
  const byPlural = storesByPlural(stores, kind);
  if (!Object.values(byPlural).every((store) => store.isFresh())) return false;
  const isCurrent = Object.entries(fence.written).every(([plural, rv]) => byPlural[plural]?.hasReached(rv) ?? true);
  return isCurrent && fence.gone.every((uid) => isGone(stores, uid));
}

/** Waits up to 10 s; false if the stores do not get there. @throws the signal's reason. */
export async function waitForFence(
  stores: Stores,
  kind: WorkloadKind,
  fence: Fence,
  signal: AbortSignal,
): Promise<boolean> {
  if (isFenceReached(stores, kind, fence)) return true;
  const endsAt = performance.now() + FENCE_WAIT_MS;
  const byPlural = storesByPlural(stores, kind);
  // Tells the stores what is awaited, so that a watch which swallows events is found out.
  const reached = Object.entries(fence.written).map(([plural, rv]) =>
    byPlural[plural]?.whenReached(rv, { timeoutMs: FENCE_WAIT_MS, signal }),
  );
  await Promise.all(reached);
  while (!isFenceReached(stores, kind, fence)) {
    if (performance.now() >= endsAt) return false;
    await stores.pods.waitFor(() => isFenceReached(stores, kind, fence), { timeoutMs: LOOK_EVERY_MS, signal });
  }
  return true;
}

/** A busy server ends watches and answers late: a wave for which nothing may be sent yet would be made again. */
const FRESH_WITHIN_MS = 10_000;

/** Answers a function that waits until the pods in the store are believed, 10 s over all calls; not where `isOver`. */
export function patienceWithPods(
  { stores, monotonicMs }: Pick<Ports, 'monotonicMs'> & { stores: Pick<Stores, 'pods'> },
  isOver: () => boolean,
): () => Promise<void> {
  let leftMs = FRESH_WITHIN_MS;
  const isWaiting = () => !stores.pods.isFresh() && leftMs > 0 && !isOver();
  const wait = async () => {
    while (isWaiting()) {
      const since = monotonicMs();
      await delay(LOOK_EVERY_MS);
      leftMs -= monotonicMs() - since;
    }
    waiting = undefined;
  };
  let waiting: Promise<void> | undefined;
  return async () => {
    if (!isWaiting()) return;
    waiting ??= wait();
    await waiting;
  };
}

/** The later of two fences, resource by resource. */
export function joinFences(left: Fence, right: Fence): Fence {
  const written = { ...left.written };
  for (const [plural, rv] of Object.entries(right.written)) written[plural] = laterVersion(written[plural], rv);
  const gone = [...new Set([...left.gone, ...right.gone])];
  return { written, gone, ...(left.isReset === true ? { isReset: true } : {}) };
}

/**
 * The fence without its versions where a quorum read shows that a resource has not come so far: etcd was put back to a state of
 * before, and no store would reach the fence for as long as it took to get there. What a quorum list shows raises it again.
 * @throws ApiError when the API server cannot be asked.
 */
export async function unlessPutBack(
  { client }: Pick<Ports, 'client'>,
  { kind, namespace }: WorkloadKey,
  fence: Fence,
  signal: AbortSignal,
): Promise<Fence> {
  const types = [pods, workloadTypeOf(kind), controllerRevisions, hookRuns, persistentVolumeClaims];
  const isBehind = async (type: ResourceType) => {
    const written = fence.written[type.plural];
    if (written === undefined) return false;
    return compareResourceVersions(await client.latestVersion(type, { namespace, signal }), written) < 0;
  };
  const behind = await Promise.all(types.map((type) => isBehind(type as ResourceType)));
  return behind.includes(true) ? { written: {}, gone: fence.gone, isReset: true } : fence;
}

/** Of two resourceVersions of one resource the later. */
export function laterVersion(known: string | undefined, seen: string): string {
  return known === undefined || compareResourceVersions(seen, known) > 0 ? seen : known;
}

function isGone(stores: Stores, uid: string): boolean {
  const pod = stores.pods.getByUid(uid);
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
}
