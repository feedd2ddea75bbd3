/** The `holdfast` command: checks the runtime, then hands over. Nothing is imported that an old Node cannot load. */
const MINIMUM = [22, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < MINIMUM[0]! || (major === MINIMUM[0] && minor < MINIMUM[1]!)) {
  process.stderr.write(
    `holdfast needs Node ${MINIMUM.join('.')} or newer, this is ${process.versions.node}: from a checkout, run it as "npm run -s holdfast -- <arguments>".\n`,
  );
  process.exit(1);
}

// Who looks up a name waits in a thread, and Node lets half of its four do so: two names without an answer would hold
// up the hooks of all others. Said before the first thread is needed; the environment may say another number.
process.env.UV_THREADPOOL_SIZE ??= '64';

const { runCommand } = await import('./command.ts');
await runCommand(process.argv);
