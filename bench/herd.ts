/** Many small workloads at once, as a cluster of many games has them. */
import type { Operator } from '../devstack/operator.ts';
import { waitFor } from '../devstack/wait.ts';
import { workloadId } from '../workflows/ids.ts';
import { gameOf, isReady, type Kind, resourceOf } from './game.ts';
import { averageCost, type HistoryCost, historyCost } from './history.ts';
import { inLanes } from './lanes.ts';

const NAMESPACE = 'default';
/** One list of all of them: seldom enough to cost nothing beside the rest. */
const LOOK_EVERY_MS = 2_000;
const SAMPLED = 10;

export interface Herd {
  kind: Kind;
  workloads: number;
  podsEach: number;
}

export const HERD_PREFIX = 'herd-';
const nameOf = (index: number): string => `${HERD_PREFIX}${String(index).padStart(3, '0')}`;

export async function createHerd({ cluster }: Operator, { kind, workloads, podsEach }: Herd): Promise<void> {
  await inLanes(workloads, async (index) => {
    const game = gameOf({ kind, name: nameOf(index), pods: podsEach, maxUnavailable: '100%' });
    await cluster.create(resourceOf(kind), game);
  });
}

/** The same change of each. */
async function changeHerd(
  { cluster }: Operator,
  { kind, workloads }: Herd,
  path: string,
  value: unknown,
): Promise<void> {
  const operations = [{ op: 'replace', path, value }] as const;
  await inLanes(workloads, async (index) => {
    await cluster.patch(resourceOf(kind), { namespace: NAMESPACE, name: nameOf(index) }, { kind: 'json', operations });
  });
}

export const changeHerdImage = (operator: Operator, herd: Herd, image: string): Promise<void> =>
  changeHerd(operator, herd, '/spec/template/spec/containers/0/image', image);

export const scaleHerdToZero = (operator: Operator, herd: Herd): Promise<void> =>
  changeHerd(operator, herd, '/spec/replicas', 0);

/** Each of them is Ready at the spec of now. */
export async function untilHerdReady(
  { cluster }: Operator,
  { kind, workloads }: Herd,
  timeoutMs: number,
): Promise<void> {
  const check = async () => {
    const { items } = await cluster.list(resourceOf(kind), { namespace: NAMESPACE });
    const ready = items.filter((item) => item.metadata.name.startsWith(HERD_PREFIX) && isReady(item)).length;
    if (ready < workloads) throw new Error(`${ready} of ${workloads} are`);
    return true;
  };
  await waitFor(check, { what: 'the workloads are Ready', timeoutMs, intervalMs: LOOK_EVERY_MS });
}

/** What some of them cost in Temporal, as an average: all are alike. */
export async function herdCost(operator: Operator, { kind, workloads }: Herd): Promise<HistoryCost> {
  const sampled = Math.min(SAMPLED, workloads);
  const costs = await Promise.all(
    Array.from({ length: sampled }, (_, index) => historyCost(operator, { kind, name: nameOf(index) })),
  );
  return averageCost(costs);
}

/** Events in the histories of their workflows, continued runs not counted: what an idle one must not add to. */
export async function herdEvents({ temporal }: Operator, { kind, workloads }: Herd): Promise<number> {
  let events = 0;
  await inLanes(workloads, async (index) => {
    const id = workloadId({ kind, namespace: NAMESPACE, name: nameOf(index) });
    const { historyLength } = await temporal.workflow.getHandle(id).describe();
    events += historyLength;
  });
  return events;
}
