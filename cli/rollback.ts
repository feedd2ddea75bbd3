/**
 * `holdfast rollback`: writes the template of an earlier revision into the spec, as the person who types it (the engine writes no
 * template). What then happens to the pods is the rollout's (decision 12).
 */
import type { Command } from 'commander';
import { workloadTypeOf } from '../activities/kinds.ts';
import type { WorkloadKey } from '../activities/types.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import type { Patch } from '../kubernetes/patches.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { type NamespaceFlags, withCluster } from './cluster.ts';
import { diffLines } from './diff.ts';
import { type History, type HistoryEntry, nameOf, readHistory, sayEntry } from './history-facts.ts';
import { addClusterOptions, addNamespaceOption, addWorkloadArguments, typedWords } from './options.ts';
import { yamlOf } from './output.ts';
import { chooseEntry, consequencesOf } from './rollback-choice.ts';
import { readWorkload } from './rollout-facts.ts';
import { readWorkloadTarget } from './targets.ts';

interface RollbackFlags extends NamespaceFlags {
  toRevision?: string;
  dryRun?: boolean;
}

const EXAMPLES = `
During a rollout it goes back to the stable revision, else to the revision before the present one.

Examples:
  holdfast rollback gd/lobby                       leaves the rollout that is on its way
  holdfast rollback gsts/arena --to-revision 2     any revision of \`holdfast history gsts/arena\`
  holdfast rollback gd/lobby --dry-run             shows what would be written, and writes nothing`;

export function addRollbackCommand(program: Command): void {
  const command = addWorkloadArguments(program.command('rollback'))
    .description('Writes the template of an earlier revision into the spec.')
    .option('--to-revision <n>', 'the revision by its number or its name')
    .option('--dry-run', 'let the API judge it, show the difference, and write nothing')
    .addHelpText('after', EXAMPLES);
  addClusterOptions(addNamespaceOption(command)).action(
    (kind: string, name: string | undefined, flags: RollbackFlags) => rollback(typedWords(kind, name), flags),
  );
}

async function rollback(words: string[], { toRevision, dryRun = false, ...flags }: RollbackFlags): Promise<void> {
  const target = readWorkloadTarget(words);
  await withCluster(flags, async (client, namespace) => {
    const key = { ...target, namespace };
    const history = await readHistory(client, key);
    const entry = chooseEntry(history, toRevision);
    const lines = consequencesOf(history, entry);
    const difference = diffLines(yamlOf(history.workload.spec.template), yamlOf(entry.template));
    await write(client, key, history, entry, dryRun);
    const verb = dryRun ? 'would roll back' : 'rolls back';
    const head = `${nameOf(history.workload)} ${verb} to revision ${sayEntry(history, entry)}.`;
    process.stdout.write([head, ...lines, ...(dryRun ? ['', difference] : []), ''].join('\n'));
  });
}

/** Only into the spec that was looked at: an edit of that moment is not overwritten. */
async function write(
  client: KubernetesClient,
  key: WorkloadKey,
  { workload }: History,
  { template }: HistoryEntry,
  dryRun: boolean,
): Promise<void> {
  const { uid, generation } = workload.metadata;
  const patch: Patch = {
    kind: 'json',
    operations: [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/generation', value: generation },
      { op: 'replace', path: '/spec/template', value: template },
    ],
  };
  try {
    await client.patch(workloadTypeOf(workload.kind), workload.metadata, patch, { dryRun });
  } catch (cause) {
    if (isApiError(cause, 'invalid')) await refuseChanged(client, key, workload.metadata);
    throw new CannotStart(`${nameOf(workload)} was not rolled back: ${sayError(cause)}`, { cause });
  }
}

/** A test that fails is answered as any nonsense is. @throws CannotStart where the object is another one by now. */
async function refuseChanged(
  client: KubernetesClient,
  key: WorkloadKey,
  seen: { uid?: string; generation?: number },
): Promise<void> {
  const now = await readWorkload(client, key);
  if (now.metadata.uid === seen.uid && now.metadata.generation === seen.generation) return;
  throw new CannotStart(
    `${nameOf(now)} was changed by somebody else in this moment (generation ${seen.generation}, now ${now.metadata.generation}): nothing was written, look again`,
  );
}
