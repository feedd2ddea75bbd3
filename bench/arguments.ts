/** What `npm run bench` is told. */
import { parseArgs } from 'node:util';
import { KINDS, type Kind } from './game.ts';

/** In the order in which they run. */
export const PARTS = ['speed', 'slow', 'hooks', 'large', 'herd'] as const;
export type Part = (typeof PARTS)[number];

export interface BenchArguments {
  parts: readonly Part[];
  /** Of the workloads. */
  kind: Kind;
  /** Created and updated in place, beside the same number by the bare loop. */
  pods: number;
  /** Updated while each takes long to be ready. */
  slowPods: number;
  /** The longest that one of them takes. */
  slowSeconds: number;
  /** HookRuns that are asked each second. */
  hooks: number;
  /** How long those are watched, once each has been asked. */
  hookSeconds: number;
  /** Of one workload: created, updated in place, scaled to zero. */
  largePods: number;
  /** The same with many workloads of `podsEach`. */
  workloads: number;
  podsEach: number;
  /** How long settled workloads are watched. */
  idleSeconds: number;
  json: boolean;
  help: boolean;
}

export const HELP = `Usage: npm run bench -- [options]

Moves pods by a bare loop and by the operator, on real servers of its own, and prints what the operator costs beside it.
Progress goes to standard error.

  --parts A,B        what to measure, or "all" (default; 35 minutes); on 2 quiet processors
                       speed  some pods of one workload: created, updated, scaled to zero  2 minutes
                       slow   pods that take long to restart, and their history             8 minutes
                       hooks  many HookRuns that are asked each second, how late, at what cost  3 minutes
                       large  many pods of one workload: created, updated, scaled to zero  9 minutes
                       herd   the same of many workloads, and what they cost while idle    12 minutes
  --kind KIND        of the workloads: gamedeployment (default) or gamestatefulset, its pods Parallel
  --pods N           pods of the part speed (default 500)
  --slow-pods N      pods of the part slow (default 1000)
  --slow-seconds N   the longest that one of those takes to restart (default 40)
  --hooks N          HookRuns of the part hooks (default 500)
  --hook-seconds N   how long those are watched (default 120)
  --large-pods N     pods of the part large (default 3000)
  --workloads N      workloads of the part herd (default 300)
  --pods-each N      pods of each of those (default 10)
  --idle-seconds N   how long they are watched while nothing happens (default 60)
  --json             print the numbers as JSON instead of tables
  --help             show this text
`;

/** @throws Error in one sentence when an argument makes no sense. */
export function readBenchArguments(args: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      parts: { type: 'string', default: 'all' },
      kind: { type: 'string', default: 'gamedeployment' },
      pods: { type: 'string', default: '500' },
      'slow-pods': { type: 'string', default: '1000' },
      'slow-seconds': { type: 'string', default: '40' },
      hooks: { type: 'string', default: '500' },
      'hook-seconds': { type: 'string', default: '120' },
      'large-pods': { type: 'string', default: '3000' },
      workloads: { type: 'string', default: '300' },
      'pods-each': { type: 'string', default: '10' },
      'idle-seconds': { type: 'string', default: '60' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    parts: readParts(values.parts),
    kind: readKind(values.kind),
    pods: readCount('--pods', values.pods, 1),
    slowPods: readCount('--slow-pods', values['slow-pods'], 1),
    slowSeconds: readCount('--slow-seconds', values['slow-seconds'], 1),
    hooks: readCount('--hooks', values.hooks, 1),
    hookSeconds: readCount('--hook-seconds', values['hook-seconds'], 1),
    largePods: readCount('--large-pods', values['large-pods'], 1),
    workloads: readCount('--workloads', values.workloads, 1),
    podsEach: readCount('--pods-each', values['pods-each'], 1),
    idleSeconds: readCount('--idle-seconds', values['idle-seconds'], 1),
    json: values.json,
    help: values.help,
  };
}

function readParts(text: string): readonly Part[] {
  if (text === 'all') return PARTS;
  const wanted = text.split(',');
  const unknown = wanted.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`--parts: no "${unknown}"; there are ${PARTS.join(', ')} and all`);
  return PARTS.filter((part) => wanted.includes(part));
}

function readKind(text: string): Kind {
  const kind = KINDS.find((each) => each === text);
  if (kind === undefined) throw new Error(`--kind: no "${text}"; there are ${KINDS.join(' and ')}`);
  return kind;
}

/** @throws Error in one sentence that names the flag. */
function readCount(flag: string, text: string, least: number): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new Error(`${flag} must be a whole number from ${least} to 99999, not "${text}"`);
}
