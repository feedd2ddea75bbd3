/** `holdfast get`: one rollout as a page, or a list of objects; `--watch` shows it again when it changes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { WorkloadKey } from '../activities/types.ts';
import { HOOK_RUN } from '../crds/api.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { sayError } from '../workers/startup-error.ts';
import { type NamespaceFlags, withCluster } from './cluster.ts';
import { readList } from './lists.ts';
import {
  addClusterOptions,
  addNamespaceOption,
  addTemporalOptions,
  type TemporalFlags,
  typedWords,
} from './options.ts';
import { addOutputOption, type Format, type OutputFlags, printed, readFormat, type Shown } from './output.ts';
import { readRolloutFacts } from './rollout-facts.ts';
import { rolloutPage } from './rollout-page.ts';
import { Screen } from './screen.ts';
import { readTarget } from './targets.ts';
import { withTemporal } from './temporal.ts';

interface GetFlags extends NamespaceFlags, TemporalFlags, OutputFlags {
  watch?: boolean;
  allNamespaces?: boolean;
}

const LOOK_EVERY_MS = 1_000;

const EXAMPLES = `
Examples:
  holdfast get gd/lobby                    the rollout of GameDeployment lobby: steps, pods, what it waits for
  holdfast get gamedeployment lobby -w     the same, again whenever it changes
  holdfast get gamedeployments -A          all GameDeployments
  holdfast get gsts/arena                  the rollout of GameStatefulSet arena
  holdfast get hooks                       HookRuns: what each waits for, its last value, when it is asked next
  holdfast get hook/drain-lobby-0          one of them with its last measurements
  holdfast get hooks -n games -o json      as data`;

export function addGetCommand(program: Command): void {
  const command = program
    .command('get')
    .description('Shows a rollout, or lists gamedeployments, gamestatefulsets or hookruns.')
    .argument('<kind[/name]>', 'gamedeployment (gd), gamestatefulset (gsts) or hookrun (hook, hr)')
    .argument('[name]')
    .option('-w, --watch', 'show it again when it changes')
    .option('-A, --all-namespaces', 'list the objects of all namespaces')
    .addHelpText('after', EXAMPLES);
  addTemporalOptions(addClusterOptions(addNamespaceOption(addOutputOption(command)))).action(
    (kind: string, name: string | undefined, flags: GetFlags) => get(typedWords(kind, name), flags),
  );
}

async function get(words: string[], flags: GetFlags): Promise<void> {
  const format = readFormat(flags);
  const target = readTarget(words);
  await withCluster(flags, async (client, namespace) => {
    const scope = flags.allNamespaces === true ? undefined : namespace;
    const { kind, name } = target;
    if (kind !== HOOK_RUN.kind && name !== undefined)
      await showRollout(client, { kind, namespace, name }, flags, format);
    else await show(() => readList(client, target, scope), flags, format);
  });
}

async function showRollout(client: KubernetesClient, key: WorkloadKey, flags: GetFlags, format: Format): Promise<void> {
  await withTemporal(flags, async (temporal) => {
    const look = async (): Promise<Shown> => {
      const seen = await readRolloutFacts(client, temporal, key);
      const facts = { ...seen, temporalNamespace: seen.temporalNamespace ?? flags.temporalNamespace };
      const { metadata, spec, status } = facts.workload;
      const identity = { ...key, generation: metadata.generation, replicas: spec.replicas };
      const data = { ...identity, rollout: facts.rollout, revisions: facts.revisions, status };
      return { text: rolloutPage(facts, Date.now()), data };
    };
    await show(look, flags, format);
  });
}

/** Once, or until the command is interrupted. A look that fails while watching is said and tried again. */
async function show(look: () => Promise<Shown>, { watch }: GetFlags, format: Format): Promise<void> {
  let shown = await look();
  if (watch !== true) {
    process.stdout.write(printed(shown, format));
    return;
  }
  const put = process.stdout.isTTY ? onScreen(format) : asLog(format);
  for (put(shown); ; put(shown)) {
    await delay(LOOK_EVERY_MS);
    shown = await look().catch((error: unknown) => ({ text: `holdfast: ${sayError(error)}`, data: null }));
  }
}

type Put = (next: Shown) => void;

/** A terminal shows the page of now, ages and all. */
function onScreen(format: Format): Put {
  const screen = new Screen();
  return (next) => screen.show(printed(next, format).replace(/\n$/, ''));
}

/** A file or a pipe gets what has changed. */
function asLog(format: Format): Put {
  let last = '';
  return (next) => {
    // The text of data has ages in it, which go on.
    const seen = next.data === null ? next.text : JSON.stringify(next.data);
    if (seen !== last) process.stdout.write(`${last === '' ? '' : '\n'}${printed(next, format)}`);
    last = seen;
  };
}
