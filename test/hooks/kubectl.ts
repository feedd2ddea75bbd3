/** kubectl as people type it, as the admin of a stack. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Devstack } from '../../devstack/stack.ts';

const execute = promisify(execFile);

/** What it prints. @throws Error with what it says when it fails. */
export async function runKubectl({ binaries, kubeconfig }: Devstack, ...args: string[]): Promise<string> {
  return (await execute(binaries.kubectl, ['--kubeconfig', kubeconfig, ...args])).stdout;
}
