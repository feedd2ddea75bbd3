/** Types the commands of a page into a shell, as somebody at the root of a checkout does. */
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../devstack/child-environment.ts';
import type { Operator } from '../../devstack/operator.ts';
import { ROOT } from './read-examples.ts';

/** What the command said. @throws Error with its answer when it fails. */
export async function shell({ stack }: Operator, command: string): Promise<string> {
  const PATH = [dirname(stack.binaries.kubectl), dirname(process.execPath), process.env.PATH].join(delimiter);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    cwd: ROOT,
    env: childEnvironment({ ...stack.env, PATH }),
  });
  return stdout;
}
