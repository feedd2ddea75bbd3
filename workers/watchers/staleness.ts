/**
 * Which objects look as if a bell had been lost: what a process rings that takes over, and each resync (design §3, §7, ADR
 * 0007). Reads the stores only; a run that is gone is found by unmatched-runs.ts.
 */
import { setImmediate } from 'node:timers/promises';
import { workloadsIn } from '../../activities/kinds.ts';
import { type Facts, factsInStores, planOf } from '../../activities/observation.ts';
import type { Ports } from '../../activities/ports.ts';
import { isLeftAlone } from '../../core/hooks/schedule.ts';
import { strayRuns } from '../../core/plan/stray-runs.ts';
import type { Plan } from '../../core/plan/types.ts';
import { momentsToldBy } from '../../core/status/since.ts';
import { computeStatus, equalStatus } from '../../core/status/status.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { hookRunKey, workloadKey } from './bell-keys.ts';
import { leftBehind } from './left-behind.ts';
import { isUnseen } from './projections.ts';
import { unheardStepRuns } from './step-runs.ts';

/** A thousand workloads take a second to judge: heartbeats and watches must not wait for that. */
const SLICE_MS = 20;

/** Keys of what looks stale. */
export async function whatIsStale(ports: Ports): Promise<string[]> {
  const { stores } = ports;
  return [
    ...(await staleWorkloads(ports)),
    ...lonelyHookRuns(ports),
    ...unheardStepRuns(stores),
    ...leftBehind(stores),
  ];
}

async function staleWorkloads(ports: Ports): Promise<string[]> {
  const stale: string[] = [];
  let sliceEndsAt = performance.now() + SLICE_MS;
  for (const workload of workloadsIn(ports.stores)) {
    if (looksStale(ports, workload)) stale.push(workloadKey(workload));
    if (performance.now() < sliceEndsAt) continue;
    await setImmediate();
    sliceEndsAt = performance.now() + SLICE_MS;
  }
  return stale;
}

const lonelyHookRuns = ({ stores, nowMs }: Pick<Ports, 'stores' | 'nowMs'>): string[] =>
  stores.hookRuns
    .list()
    .filter((run) => isLeftAlone(run, nowMs()))
    .map(({ metadata }) => hookRunKey(metadata));

/** One that cannot be judged is rung, and keeps no other from being judged. */
function looksStale(ports: Ports, workload: GameWorkload): boolean {
  try {
    return isStale(ports, workload);
  } catch (err) {
    const { namespace, name } = workload.metadata;
    ports.log.warn({ err, namespace, name }, 'whether a workload is stale could not be told');
    return true;
  }
}

/** Behind its spec, said to be moving, in an open rollout; with something to move, to record or to clear away; or it says what is not so. */
function isStale(ports: Ports, workload: GameWorkload): boolean {
  const { status } = workload;
  if (isUnseen(workload) || status?.moving === true || status?.updateRevision !== status?.currentRevision) return true;
  const facts = readFacts(ports, workload);
  if (facts === undefined || !facts.isRecorded) return true;
  const plan = planOf(facts);
  const isLitter = () => strayRuns(facts.input).length > 0;
  return plan.moves.length > 0 || hasStrays(workload, plan) || isLitter() || !isToldAsItIs(facts, plan);
}

/** Without an allowance nothing moves to another revision: what remains is scaling and healing. */
function readFacts(ports: Ports, { kind, metadata }: GameWorkload): Facts | undefined {
  const { namespace = '', name, uid } = metadata;
  return factsInStores(ports, {
    key: { kind, namespace, name },
    uid,
    context: { allowance: null, unresolved: [], issued: [], backOff: { count: 0, untilMs: 0 }, gates: {} },
    fence: { written: {}, gone: [] },
  });
}

/** Pods of another revision where no rollout is open: the run that took them back was lost. */
const hasStrays = ({ status }: GameWorkload, { counts }: Plan): boolean =>
  Object.keys(counts.perRevision).some((revision) => revision !== status?.currentRevision);

/**
 * The status of a settled workload can be computed from the object and its pods alone: where a report would write another one,
 * something happened that nobody rang for, be it a pod's readiness or the annotation of a person.
 */
function isToldAsItIs({ input, workload }: Facts, plan: Plan): boolean {
  const since = momentsToldBy(workload.status?.conditions);
  const status = computeStatus({ facts: input, plan, view: null, moving: false, consumedResume: [], since });
  return equalStatus(workload.status, status);
}
