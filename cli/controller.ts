/** `holdfast controller`: the operator as a process; owns signals and exit codes. */
import type { Command } from 'commander';
import { type Flags, readConfig, SETTINGS } from '../workers/config.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { addClusterOptions, addTemporalOptions } from './options.ts';

export function addControllerCommand(program: Command): void {
  const command = program
    .command('controller')
    .description('Runs the operator: watches the cluster, works for Temporal, serves metrics.');
  addTemporalOptions(addClusterOptions(command));
  for (const { flag, value, help, env, fallback } of SETTINGS) {
    const shown = value === undefined ? flag : `${flag} <${value}>`;
    command.option(shown, `${help} [$${env}${fallback === '' ? '' : `, ${fallback}`}]`);
  }
  command.addHelpText(
    'after',
    '\nTemporal is configured as its own CLI is: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_TLS_*, ….',
  );
  command.action((options: Record<string, string | boolean | undefined>) => runController(withDashes(options)));
}

/** Commander names options in camel case; the flags are named as they are typed. */
function withDashes(options: Record<string, string | boolean | undefined>): Flags {
  const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [dashed(name), value]));
}

async function runController(flags: Flags): Promise<void> {
  const config = readConfig(flags, process.env);
  const stopped = stopSignal();
  // Imported late: `holdfast get` must not wait for the SDK's native library.
  const [{ Runtime }, { createLog, temporalLogger }, { startController }] = await Promise.all([
    import('@temporalio/worker'),
    import('../workers/log.ts'),
    import('../workers/controller.ts'),
  ]);
  const log = createLog(config.logLevel, { identity: config.identity });
  Runtime.install({ logger: temporalLogger(log), shutdownSignals: [] });
  const starting = startController(config, log);
  starting.catch(() => undefined);
  // Nothing is lost by a process that has not begun to work.
  if ((await Promise.race([starting.then(() => 'started'), stopped])) !== 'started') process.exit(0);
  const controller = await starting;
  const end = await Promise.race([controller.failed, stopped]);
  log.info({ why: end instanceof Error ? sayError(end) : end }, 'holdfast controller stops');
  await controller.stop();
  if (end instanceof Error) throw new CannotStart(`A worker ended by itself: ${sayError(end)}`, { cause: end });
  process.exit(0);
}

/** The first signal asks to stop; the second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return promise;
}
