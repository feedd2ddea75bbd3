/**
 * `holdfast resume` and its siblings: sends a person's word to a rollout as an update, so that the answer is the truth. A
 * refusal is shown and ends with exit code 1.
 */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { holdfastCommand, inTemporalNamespace } from '../core/command-text.ts';
import { HUMAN_VERBS, type HumanMessage, type HumanVerb } from '../core/rollout/types.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { rolloutId, workloadId } from '../workflows/ids.ts';
import { type NamespaceFlags, namespaceOfContext } from './cluster.ts';
import {
  addClusterOptions,
  addNamespaceOption,
  addTemporalOptions,
  addWorkloadArguments,
  type TemporalFlags,
  typedWords,
} from './options.ts';
import { readWorkloadTarget } from './targets.ts';
import { withTemporal } from './temporal.ts';
import { userName } from './user-name.ts';

interface VerbFlags extends NamespaceFlags, TemporalFlags {
  step?: string;
  pod?: string;
  reason?: string;
  by?: string;
}

const DESCRIPTIONS: Record<HumanVerb, string> = {
  pause: 'Pauses a rollout where it is.',
  resume: 'Ends the present pause of a rollout.',
  skip: 'Passes the hook or pause of the present step, or hooks of pods that failed.',
  retry: 'Asks a failed hook of a step or of pods again, or starts an aborted rollout again.',
  abort: 'Takes all pods back to the stable revision; the spec stays as it is.',
  promote: 'Passes all remaining steps.',
};
/** Verbs that a workload takes where no rollout is open: its gates may have failed. */
const VERBS_OF_WORKLOADS: ReadonlySet<HumanVerb> = new Set(['retry', 'skip']);
/** What `--pod` means to the verbs that take it. */
const POD_OPTIONS: Partial<Record<HumanVerb, string>> = {
  retry: 'only hooks of this pod that failed',
  skip: 'only hooks of this pod that failed',
  abort: 'ends the hook that runs for this pod, and leaves the rollout alone',
};
const EXAMPLES: Record<HumanVerb, readonly string[]> = {
  pause: ['--reason "tournament tonight"'],
  resume: ['--step 1 --reason "looks good"'],
  skip: ['--step 2 --reason "the check is broken"', '--pod lobby-x7k2p --reason "nobody is on it"'],
  retry: ['', '--pod lobby-x7k2p'],
  abort: ['--reason "players are disconnected"', '--pod lobby-x7k2p'],
  promote: ['--reason "an urgent fix"'],
};
const ANSWER_WITHIN_MS = 15_000;

export function addVerbCommands(program: Command): void {
  for (const verb of HUMAN_VERBS) addVerbCommand(program, verb);
}

function addVerbCommand(program: Command, verb: HumanVerb): void {
  const command = addWorkloadArguments(program.command(verb))
    .description(DESCRIPTIONS[verb])
    .option('--step <n>', 'refuse unless the rollout is at this step')
    .option('--reason <text>', 'why, for the step log')
    .option('--by <name>', 'who, for the step log (default: the user of this machine)')
    .addHelpText(
      'after',
      `\nExamples:\n${EXAMPLES[verb].map((rest) => `  holdfast ${verb} gamedeployment/lobby -n games ${rest}`.trimEnd()).join('\n')}`,
    );
  const podOption = POD_OPTIONS[verb];
  if (podOption !== undefined) command.option('--pod <name>', podOption);
  addTemporalOptions(addClusterOptions(addNamespaceOption(command))).action(
    (kind: string, name: string | undefined, flags: VerbFlags) => send(verb, typedWords(kind, name), flags),
  );
}

async function send(verb: HumanVerb, words: string[], flags: VerbFlags): Promise<void> {
  const { kind, name } = readWorkloadTarget(words);
  const message: HumanMessage = {
    by: flags.by ?? userName(),
    ...readStep(flags),
    ...(flags.reason && { reason: flags.reason }),
    ...(flags.pod && { pod: flags.pod }),
  };
  const namespace = flags.namespace ?? (await namespaceOfContext(flags));
  const key = { kind, namespace, name };
  await withTemporal(flags, async (client) => {
    if (typeof client === 'string') throw new CannotStart(client);
    // Hooks of a pod are the workload's, whatever its rollout waits for.
    const answer = flags.pod ? undefined : await ask(client, verb, message, rolloutId(key));
    const isForWorkload = flags.pod !== undefined || VERBS_OF_WORKLOADS.has(verb);
    const last = answer ?? (isForWorkload ? await ask(client, verb, message, workloadId(key)) : undefined);
    if (last === undefined) {
      const see = holdfastCommand('get', { kind, metadata: key }, ...inTemporalNamespace(client.options.namespace));
      throw new CannotStart(
        `No rollout of ${kind.toLowerCase()}/${name} is open in namespace ${namespace}: see \`${see}\``,
      );
    }
    process.stdout.write(`${last}\n`);
  });
}

/** undefined: no such workflow runs. @throws CannotStart with the refusal, or where nobody answers. */
async function ask(
  client: Client,
  verb: HumanVerb,
  message: HumanMessage,
  workflowId: string,
): Promise<string | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      handle.executeUpdate<string, [HumanMessage]>(verb, { args: [message] }),
    );
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'WorkflowNotFoundError') return undefined;
    if (name === 'WorkflowUpdateFailedError') throw new CannotStart(sayError((error as Error).cause), { cause: error });
    throw new CannotStart(
      `No answer to ${verb} within ${ANSWER_WITHIN_MS / 1000} s (${sayError(error)}): it may still be taken once a controller runs; see \`holdfast get\``,
      { cause: error },
    );
  }
}

function readStep({ step }: VerbFlags): Pick<HumanMessage, 'step'> {
  if (step === undefined) return {};
  if (!/^\d+$/.test(step)) throw new CannotStart(`--step is "${step}": must be a whole number`, { exitCode: 2 });
  return { step: Number(step) };
}
