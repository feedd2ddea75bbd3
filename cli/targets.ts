/** What people type to name an object: `gamedeployment/lobby`, `gd lobby`, `hookruns`. Pure. */
import { GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_RUN } from '../crds/api.ts';
import { CannotStart } from '../workers/startup-error.ts';

type WorkloadKind = typeof GAME_DEPLOYMENT.kind | typeof GAME_STATEFUL_SET.kind;
export type TargetKind = WorkloadKind | typeof HOOK_RUN.kind;

/** Without a name all objects of the kind are meant. */
export interface Target {
  kind: TargetKind;
  name?: string;
}

const WORDS: readonly { kind: TargetKind; words: readonly string[] }[] = [
  { kind: GAME_DEPLOYMENT.kind, words: [GAME_DEPLOYMENT.singular, GAME_DEPLOYMENT.plural, 'gd'] },
  { kind: GAME_STATEFUL_SET.kind, words: [GAME_STATEFUL_SET.singular, GAME_STATEFUL_SET.plural, 'gsts'] },
  { kind: HOOK_RUN.kind, words: [HOOK_RUN.singular, HOOK_RUN.plural, 'hr', 'hook', 'hooks'] },
];

/** `<kind>/<name>`, `<kind> <name>` or `<kind>`. @throws CannotStart with exit code 2 that says what is understood. */
export function readTarget(words: readonly string[]): Target {
  const [kindWord = '', name, ...rest] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  const known = WORDS.find((entry) => entry.words.includes(kindWord.toLowerCase()));
  if (known === undefined) {
    const kinds = WORDS.map((entry) => entry.words[0]).join(', ');
    throw new CannotStart(`"${kindWord}" is no kind that holdfast knows: ${kinds}`, { exitCode: 2 });
  }
  const isOdd = rest.length > 0 || name === '' || name?.includes('/') === true;
  if (isOdd) throw new CannotStart(`"${words.join(' ')}" names no object: write ${kindWord}/<name>`, { exitCode: 2 });
  return name === undefined ? { kind: known.kind } : { kind: known.kind, name };
}

/** A workload with its name. @throws CannotStart with exit code 2 where the name is missing, or the kind has no rollouts. */
export function readWorkloadTarget(words: readonly string[]): { kind: WorkloadKind; name: string } {
  const { kind, name } = readTarget(words);
  if (kind === HOOK_RUN.kind) {
    throw new CannotStart(`A ${kind} has no rollouts: name a gamedeployment or a gamestatefulset`, { exitCode: 2 });
  }
  if (name !== undefined) return { kind, name };
  throw new CannotStart(`Which one? Write ${kind.toLowerCase()}/<name>`, { exitCode: 2 });
}
