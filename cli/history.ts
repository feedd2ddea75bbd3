/** `holdfast history`: the revisions of a workload, who brought them about and how it went; one of them with its template. */
import type { Command } from 'commander';
import { type NamespaceFlags, withCluster } from './cluster.ts';
import { findEntry, readHistory } from './history-facts.ts';
import { historyPage, revisionPage } from './history-page.ts';
import { addClusterOptions, addNamespaceOption, addWorkloadArguments, typedWords } from './options.ts';
import { addOutputOption, type OutputFlags, printed, readFormat } from './output.ts';
import { readWorkloadTarget } from './targets.ts';

interface HistoryFlags extends NamespaceFlags, OutputFlags {
  revision?: string;
  diff?: boolean;
}

const EXAMPLES = `
Examples:
  holdfast history gd/lobby                      numbers, pods, outcome of the rollout and who had a say in it
  holdfast history gsts/arena --revision 2       the template of revision 2
  holdfast history gd/lobby --revision 2 --diff  how the template of the spec differs from it
  holdfast history gd/lobby -o json              as data, with the step log of each rollout`;

export function addHistoryCommand(program: Command): void {
  const command = addWorkloadArguments(program.command('history'))
    .description('Lists the revisions of a workload, or shows one of them.')
    .option('--revision <n>', 'show the template of this revision; its name will do, too')
    .option('--diff', 'with --revision: show how the template of the spec differs from it')
    .addHelpText('after', EXAMPLES);
  addClusterOptions(addNamespaceOption(addOutputOption(command))).action(
    (kind: string, name: string | undefined, flags: HistoryFlags) => history(typedWords(kind, name), flags),
  );
}

async function history(words: string[], flags: HistoryFlags): Promise<void> {
  const format = readFormat(flags);
  const target = readWorkloadTarget(words);
  await withCluster(flags, async (client, namespace) => {
    const found = await readHistory(client, { ...target, namespace });
    const { revision, diff = false } = flags;
    const shown =
      revision === undefined ? historyPage(found, Date.now()) : revisionPage(found, findEntry(found, revision), diff);
    process.stdout.write(printed(shown, format));
  });
}
