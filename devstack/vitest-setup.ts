/** Before the first integration test: builds what is missing, so that no test's deadline has to allow for a cold cache. */
import { BINARY_NAMES } from './binaries.ts';
import { buildBinaries } from './build.ts';

export async function setup(): Promise<void> {
  await buildBinaries(BINARY_NAMES, (line) => console.error(`devstack: ${line}`));
}
