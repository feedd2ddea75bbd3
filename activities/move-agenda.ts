/**
 * What a move attempt still has to do (protocol §2, rules 3 and 7): its items as they were planned while the plan is
 * fresh, else what a new plan on newer facts has in common with them.
 */
import { spends } from '../core/plan/spending.ts';
import type { Move, Unresolved } from '../core/plan/types.ts';
import { issuedOf, unresolvedItem } from '../core/plan/unresolved.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { Attempt } from './attempt.ts';
import { planWorkloadOf } from './kinds.ts';
import { type Facts, factsInStores, readFacts } from './observation.ts';
import type { Ports } from './ports.ts';
import type { MoveRequest, PlanContext } from './types.ts';

/** A plan older than this is made again before anything is written; so is one of a clock that differs by as much. */
const PLAN_FRESH_MS = 5_000;

export interface Agenda {
  items: Move[];
  /** Items of the request that this attempt does not want any more, and that cannot land either. */
  dropped: Move[];
  /** Items that an earlier attempt may have sent and that may still land: they are not wanted now, but open. */
  open: Move[];
  /** Absent where there is nothing to do: the workload is gone, being deleted, or another one. */
  facts?: Facts;
  /** When the facts behind the items were observed, epoch milliseconds. */
  asOfMs: number;
}

/**
 * `isLater`: the plan grew old while the items before were sent; the rest is planned again on stores that have seen them.
 * @throws ApiError when a new plan is needed and neither stores nor apiserver can be read.
 */
export async function agendaOf(
  ports: Ports,
  request: MoveRequest,
  attempt: Attempt,
  isLater: boolean,
): Promise<Agenda> {
  const isFirst = attempt.number === 1 && !isLater;
  const isFresh = isFirst && Math.abs(ports.nowMs() - request.asOfMs) <= PLAN_FRESH_MS;
  const facts = isFresh ? factsInStores(ports, { ...request, context: contextOf(request, false) }) : undefined;
  if (facts !== undefined) return { items: request.items, dropped: [], open: [], facts, asOfMs: request.asOfMs };
  return planAgain(ports, request, attempt, isLater);
}

async function planAgain(ports: Ports, request: MoveRequest, attempt: Attempt, isLater: boolean): Promise<Agenda> {
  const isRetry = attempt.number > 1;
  const context = contextOf(request, isRetry);
  const unresolved = [...context.unresolved, ...(request.siblings ?? [])];
  const facing = {
    ...request,
    ...{ context: { ...context, unresolved }, quorum: isRetry && !isLater, isWithinWave: true },
  };
  const sighting = await readFacts(ports, facing, attempt.signal);
  if (sighting.state !== 'live') return { items: [], dropped: request.items, open: [], asOfMs: request.asOfMs };
  const { facts } = sighting;
  const planned = new Map(planWorkloadOf(facts.input).moves.map((move) => [identityOf(move), move]));
  const again = request.items.map((item) => ({ item, move: stillPlanned(item, planned.get(identityOf(item))) }));
  const items = again.flatMap(({ move }) => move ?? []);
  const rest = again.flatMap(({ item, move }) => (move === undefined ? [item] : []));
  const wasSent = maySentBefore(request, attempt);
  const open = rest.filter((item) => wasSent(item) && mayLand(item, facts.input.pods));
  return { items, dropped: rest.filter((item) => !open.includes(item)), open, facts, asOfMs: facts.asOfMs };
}

/**
 * What spends is only ever sent for the version that the wave planned it on: whoever counts it as open, because nobody could
 * answer, knows no other (protocol §2, rules 1 and 4).
 */
function stillPlanned(item: Move, move: Move | undefined): Move | undefined {
  if (move === undefined || !spends(move)) return move;
  return versionOf(move) === versionOf(item) ? move : undefined;
}

const versionOf = (move: Move): string | undefined => ('uid' in move ? move.resourceVersion : undefined);

/**
 * The new plan must choose the same pods and names again: names are given already, and what an earlier attempt may have
 * sent counts as spent.
 */
function contextOf({ context, items, stableRevision }: MoveRequest, isRetry: boolean): PlanContext {
  const creates = items.filter((item) => item.act === 'create');
  const given = new Set(creates.map(({ pod }) => pod));
  const issued = context.issued.filter(({ pod }) => !given.has(pod));
  const sent = isRetry ? items : creates;
  return {
    ...context,
    stableRevision: context.stableRevision ?? stableRevision,
    issued: [...issued, ...creates.map(issuedOf)],
    unresolved: [...withoutPods(context.unresolved, sent), ...sent.map((item) => unresolvedItem(item, 'unknown'))],
  };
}

function withoutPods(unresolved: Unresolved[], items: Move[]): Unresolved[] {
  const pods = new Set(items.map(({ pod }) => pod));
  return unresolved.filter(({ pod }) => !pods.has(pod));
}

/** Items that an attempt before this one, or an earlier wave, may have sent without an answer. */
export function maySentBefore({ context }: MoveRequest, attempt: Attempt): (item: Move) => boolean {
  if (attempt.number > 1) return () => true;
  const open = new Set(context.unresolved.map(({ act, pod }) => `${act}/${pod}`));
  return ({ act, pod }) => open.has(`${act}/${pod}`);
}

/** The same move on the same pod; the resourceVersion is the newer plan's. */
const identityOf = (move: Move): string => `${move.act}/${move.pod}/${'uid' in move ? move.uid : ''}`;

/** A late duplicate is bound to one version of its pod; a create to a name that nobody has. */
function mayLand(item: Move, pods: Pod[]): boolean {
  const pod = pods.find(({ metadata }) => metadata.name === item.pod);
  if (item.act === 'create') return pod === undefined;
  return pod?.metadata.uid === item.uid && pod.metadata.resourceVersion === item.resourceVersion;
}
