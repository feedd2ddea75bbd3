/**
 * Free TCP ports for one stack. They lie below the range the kernel uses for outgoing connections: a server that is
 * stopped for a while must find its port free when it comes back.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LOWEST = 12_000;
const HIGHEST = 32_000;
const handedOut = new Set<number>();

/** Returns one port per name, each free on the loopback address at the time of the call. */
export async function findPorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const pairs: [Name, number][] = [];
  for (const name of names) pairs.push([name, await findPort()]);
  return Object.fromEntries(pairs) as Record<Name, number>;
}

async function findPort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`no free port found between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
