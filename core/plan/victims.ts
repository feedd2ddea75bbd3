/** Which pods of a GameDeployment are given up: those the user names, and those that are too many (decisions 24 and 26). */
import { straysOf } from './candidates.ts';
import type { DeploymentSituation } from './deployment-situation.ts';
import { lacksIndex, twinsOf } from './indexes.ts';
import { inScaleInOrder } from './order.ts';
import type { PodView } from './pod-view.ts';
import { isBrokenStray, whyStray } from './strays.ts';

/** The pods that go only where they are too many. */
interface Rest {
  old: PodView[];
  updated: PodView[];
}

/** They go whatever `replicas` says: those that the user names, and those that lack an index. */
const replacedOf = ({ listed, misnumbered }: DeploymentSituation): ReadonlySet<PodView> =>
  new Set([...listed, ...misnumbered]);

function restOf(situation: DeploymentSituation): Rest {
  const { active, old, target } = situation;
  const replaced = replacedOf(situation);
  const isLeft = (view: PodView) => !replaced.has(view);
  const updated = active.filter(({ revision }) => revision === target);
  return replaced.size === 0 ? { old, updated } : { old: old.filter(isLeft), updated: updated.filter(isLeft) };
}

/** While paused nothing uses a surge: a scale-in is a scale-in then, too (decision 8). */
const surplusOf = ({ numbers, surge, isPaused }: DeploymentSituation, { old, updated }: Rest): number =>
  Math.max(0, old.length + updated.length - numbers.replicas - (isPaused ? 0 : surge));

/** The surge of an update that is paused is given up first: by old pods in its place the update would go on. */
function surgeGivenUp({ isPaused, numbers }: DeploymentSituation, { updated }: Rest, surplus: number): number {
  const canary = Number(updated.some(({ isServing }) => isServing));
  return isPaused ? Math.min(surplus, numbers.maxSurge, updated.length - canary) : 0;
}

/** Old pods beyond the partition go first; while paused one canary is kept if it can be (decision 11). */
function split(situation: DeploymentSituation, rest: Rest): { fromOld: number; fromNew: number } {
  const { numbers, isPaused, target, stable } = situation;
  const surplus = surplusOf(situation, rest);
  const keepsCanary = isPaused && target !== stable && rest.updated.length > 0 && numbers.replicas > 1;
  const partition = keepsCanary ? Math.min(numbers.partition, numbers.replicas - 1) : numbers.partition;
  const fromSurge = surgeGivenUp(situation, rest, surplus);
  const fromOld = Math.min(surplus - fromSurge, Math.max(0, rest.old.length - partition));
  return { fromOld, fromNew: surplus - fromOld };
}

/** Marked pods first: the choice survives a restart, and a change of operators. Then those without a number of their own. */
function choose(situation: DeploymentSituation, candidates: PodView[], count: number): PodView[] {
  if (count === 0) return [];
  const { workload, nodes } = situation.input;
  const withoutNumber = lacksIndex(situation);
  const chosen = ({ mark, isChosenBefore }: PodView) => (mark?.kind === 'scale-in' ? 4 : isChosenBefore ? 2 : 0);
  const rank = (view: PodView) => chosen(view) + Number(withoutNumber.has(view));
  const { annotations } = workload.metadata;
  return inScaleInOrder(candidates, rank, { annotations, nodes }).slice(0, count);
}

/** Pods that shall go: those the user names, of the others as many as are too many, and what a rollout left broken. */
export function chooseVictims(situation: DeploymentSituation): PodView[] {
  const replaced = replacedOf(situation);
  const rest = restOf(situation);
  const { fromOld, fromNew } = split(situation, rest);
  const victims = [
    ...choose(situation, [...replaced], replaced.size),
    ...choose(situation, rest.old, fromOld),
    ...choose(situation, rest.updated, fromNew),
  ];
  return [...victims, ...straysOf(situation, victims)];
}

export function whyVictim(situation: DeploymentSituation, view: PodView): string {
  const { listed, misnumbered, numbers, active } = situation;
  if (listed.has(view)) return 'spec.scaleStrategy.podsToDelete names it';
  if (misnumbered.has(view)) return whyMisnumbered(situation, view);
  const isSurplus = active.length > numbers.replicas || !isBrokenStray(view, situation);
  return isSurplus ? `more pods than replicas (${numbers.replicas})` : whyStray(view, situation);
}

function whyMisnumbered(situation: DeploymentSituation, view: PodView): string {
  const keeper = twinsOf(situation).get(view);
  if (keeper === undefined) return 'it has no index, and a pod with one takes its place';
  return `it shares its index with pod ${keeper.name}, and a pod with one of its own takes its place`;
}
