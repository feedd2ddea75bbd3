/** Ctrl-C for commands that start servers: the first one lets them take everything down, the second one ends at once. */

/** Aborts at the first signal. The second one ends the process; the watchdog then ends the servers. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new Error(`${name}: stopping`));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return controller.signal;
}
