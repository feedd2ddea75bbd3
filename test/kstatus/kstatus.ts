/** How Helm and Flux read an object: their library, asked through a program of ours (program/main.go). */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildModule, type Log } from '../../devstack/build.ts';

export interface Reading {
  status: 'InProgress' | 'Current' | 'Failed' | 'Terminating' | 'Unknown';
  message: string;
}

/** The path of the program, which takes half a minute to build the first time. */
export const buildKstatus = (log: Log = () => {}): Promise<string> =>
  buildModule('kstatus', join(import.meta.dirname, 'program'), log);

/** One reading for each object. @throws Error with what the library said. */
export async function readStatuses(objects: readonly object[]): Promise<Reading[]> {
  const child = spawn(await buildKstatus(), { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(objects.map((object) => JSON.stringify(object)).join('\n'));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading);
}
