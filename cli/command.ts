/** The commands of `holdfast` and how their failures are shown: one sentence, no stack. */
import { Command, CommanderError } from 'commander';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { readVersion } from '../workers/version.ts';
import { addControllerCommand } from './controller.ts';
import { addGetCommand } from './get.ts';
import { addHistoryCommand } from './history.ts';
import { addInstallCommand } from './install.ts';
import { addRollbackCommand } from './rollback.ts';
import { addVerbCommands } from './verbs.ts';

const ENDING = `
Exit codes: 0 done, 1 refused or failed (standard error says why), 2 wrong arguments.
HOLDFAST_DEBUG=1 in the environment shows where a failure comes from.`;

/** Runs what was typed and ends with the exit code that says how it went. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  // `holdfast get … | head` ends the pipe before we have said everything.
  process.stdout.on('error', () => process.exit(0));
  const program = new Command('holdfast')
    .description('Moves stateful workloads on Kubernetes by durable rollouts.')
    .version(readVersion())
    .addHelpText('after', ENDING)
    .exitOverride();
  addControllerCommand(program);
  addInstallCommand(program);
  addGetCommand(program);
  addVerbCommands(program);
  addHistoryCommand(program);
  addRollbackCommand(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else fail(error);
  }
}

function fail(error: unknown): void {
  const shown = process.env.HOLDFAST_DEBUG && error instanceof Error ? error.stack : sentenceOf(error);
  process.stderr.write(`holdfast: ${shown}\n`);
  process.exitCode = error instanceof CannotStart ? error.exitCode : 1;
}

/** A message of ours may have lines of its own. */
const sentenceOf = (error: unknown): string => (error instanceof CannotStart ? error.message : sayError(error));
