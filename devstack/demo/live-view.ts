/** The rollout as a person watches it: a page drawn in place on a terminal, one line per change where the output is kept. */
import { type RolloutFacts, readRolloutFacts, targetOf } from '../../cli/rollout-facts.ts';
import { rolloutPage } from '../../cli/rollout-page.ts';
import { Screen } from '../../cli/screen.ts';
import type { RolloutReport } from '../../workflows/rollout-query.ts';
import { waitFor } from '../wait.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 500;

export interface WatchOptions {
  /** What is awaited, for the error when it does not come. */
  what: string;
  timeoutMs: number;
  /** Stays below the page. */
  footer?: string;
}

/** Shows the rollout until `holds` says so, and answers what was seen then. @throws Error with the last page. */
export async function watchRollout(
  stage: Stage,
  holds: (facts: RolloutFacts) => boolean,
  { what, timeoutMs, footer = '' }: WatchOptions,
): Promise<RolloutFacts> {
  const show = process.stdout.isTTY ? onScreen(footer) : asLog(stage.startedAt);
  let page = '';
  const look = async () => {
    const key = { kind: 'GameDeployment', ...stage.workload } as const;
    const facts = await readRolloutFacts(stage.cluster, stage.temporal, key);
    page = rolloutPage(facts, Date.now());
    show(page, facts);
    return holds(facts) && facts;
  };
  try {
    return await waitFor(look, { what, timeoutMs, intervalMs: LOOK_EVERY_MS });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${page}`);
  }
}

type Show = (page: string, facts: RolloutFacts) => void;

function onScreen(footer: string): Show {
  const screen = new Screen();
  return (page) => screen.show(`${page}\n\n${footer}`);
}

/** One line per change, with the seconds since the beginning. */
function asLog(startedAt: number): Show {
  let shown = '';
  return (_page, facts) => {
    const line = lineOf(facts);
    if (line !== shown) console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);
    shown = line;
  };
}

/** Pods per revision, the step, and what it waits for. */
function lineOf(facts: RolloutFacts): string {
  const { revisions, rollout } = facts;
  const target = targetOf(facts);
  const counts = revisions.map(({ name, pods, ready }) => {
    return `${name === target ? 'new' : 'old'} ${pods} (${ready} ready)`;
  });
  return [counts.reverse().join(', '), standing(rollout)].filter((part) => part !== '').join(' | ');
}

function standing(rollout: RolloutFacts['rollout']): string {
  if (rollout.from === 'run') return waitOf(rollout.report);
  return rollout.from === 'result' ? rollout.result.outcome : '';
}

/** The sentence of a pause goes on with the ways out of it, which the demo prints itself. */
const waitOf = ({ view }: RolloutReport): string =>
  `step ${view.stepIndex} of ${view.stepCount} | ${view.message.split(';')[0]}`;
