/** npm run devstack: starts the servers, prints their environment and stays in the foreground until told to stop. */
import { parseArgs } from 'node:util';
import { buildBinaries } from './build.ts';
import { type Environment, renderEnvironment, writeEnvironmentFile } from './environment.ts';
import { COMPONENT_NAMES, type ComponentName, withNeeded } from './servers.ts';
import { binariesFor, startDevstack } from './stack.ts';

const HELP = `Usage: npm run devstack -- [options]

Builds what is missing, starts real servers on free ports and prints their environment. Ctrl-C stops them.

  --nodes N          fake nodes to create (default 3)
  --components A,B   only these servers and what they need: ${COMPONENT_NAMES.join(', ')}
  --env-file F       write the environment to F, once all are ready, as lines a shell can source
  --dir D            keep data and logs in D instead of a temporary directory
  --build-only       build what is missing and end
  --help             show this text
`;

interface Arguments {
  nodes: number;
  components: readonly ComponentName[];
  envFile: string | undefined;
  dir: string | undefined;
  buildOnly: boolean;
  help: boolean;
}

/** @throws Error in one sentence when an argument makes no sense. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '3' },
      components: { type: 'string' },
      'env-file': { type: 'string' },
      dir: { type: 'string' },
      'build-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    nodes: readNodes(values.nodes),
    components: readComponents(values.components),
    envFile: values['env-file'],
    dir: values.dir,
    buildOnly: values['build-only'],
    help: values.help,
  };
}

function readNodes(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error(`--nodes must be a whole number from 0 to 9999, not "${text}"`);
  return Number(text);
}

function readComponents(text: string | undefined): readonly ComponentName[] {
  if (text === undefined) return COMPONENT_NAMES;
  return text.split(',').map((name) => {
    const known = COMPONENT_NAMES.find((component) => component === name);
    if (known === undefined) throw new Error(`--components: no "${name}"; there are ${COMPONENT_NAMES.join(', ')}`);
    return known;
  });
}

const log = (line: string) => console.error(`devstack: ${line}`);

/** Resolves when the stack has been stopped because it was asked to. */
async function run(options: Arguments, stopSignal: AbortSignal): Promise<void> {
  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => {});
  const stopWanted = new Promise<void>((resolve) => stopSignal.addEventListener('abort', () => resolve()));
  const stack = await startDevstack({
    ...options,
    log,
    signal: stopSignal,
    onCrash: (server) => crash.reject(new Error(`${server.name} ended by itself; last lines:\n${server.tail()}`)),
  });
  try {
    announce(stack.env, options.envFile);
    await Promise.race([stopWanted, crash.promise]);
    log('stopping');
  } finally {
    await stack.stop();
  }
}

function announce(environment: Environment, envFile: string | undefined): void {
  process.stdout.write(renderEnvironment(environment));
  if (envFile !== undefined) writeEnvironmentFile(envFile, environment);
  log('all servers are ready; Ctrl-C stops them');
}

/** Aborts at the first request to stop; a second one ends this process at once, and the watchdog ends the servers. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new Error(`${name} before all servers were ready: stopped`));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return controller.signal;
}

async function main(): Promise<void> {
  const options = readArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
  } else if (options.buildOnly) {
    await buildBinaries(binariesFor(withNeeded(options.components)), log, stopOnSignals());
  } else {
    await run(options, stopOnSignals());
  }
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    log(error instanceof Error ? error.message : String(error));
    process.exit(1);
  });
}
