/**
 * Pods by what is under way on them. Most pods of a large workload stand in few of these lists: each part of the plan looks at
 * its own, and all pods are gone through once.
 */
import type { PodView } from './pod-view.ts';

type ViewWith<Key extends keyof PodView> = PodView & Required<Pick<PodView, Key>>;

/** Each in the order of the views; all but `terminal` are of active pods. */
export interface Groups {
  active: PodView[];
  unavailable: PodView[];
  /** In the middle of an update in place. */
  underWay: PodView[];
  /** Chosen to go or to be updated, and to pass a gate before. */
  marked: ViewWith<'mark'>[];
  /** They owe the hook that follows an update in place. */
  owing: ViewWith<'owes'>[];
  /** With a write of ours whose outcome is open. */
  unanswered: ViewWith<'unresolved'>[];
  /** Failed and Succeeded pods that nobody has deleted. */
  terminal: PodView[];
}

export function groupsOf(views: readonly PodView[]): Groups {
  const groups: Groups = {
    active: [],
    unavailable: [],
    underWay: [],
    marked: [],
    owing: [],
    unanswered: [],
    terminal: [],
  };
  for (const view of views) {
    if (view.isActive) putActive(groups, view);
    else if (view.isTerminal && !view.isTerminating) groups.terminal.push(view);
  }
  return groups;
}

function putActive(groups: Groups, view: PodView): void {
  groups.active.push(view);
  if (!view.isAvailable) groups.unavailable.push(view);
  if (view.stage.stage !== 'none') groups.underWay.push(view);
  if (has(view, 'mark')) groups.marked.push(view);
  if (has(view, 'owes')) groups.owing.push(view);
  if (has(view, 'unresolved')) groups.unanswered.push(view);
}

const has = <Key extends keyof PodView>(view: PodView, key: Key): view is ViewWith<Key> => view[key] !== undefined;
