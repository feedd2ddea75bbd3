/** What the demo plays on: the operator on real servers, what the hooks ask, and the commands of a person. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../child-environment.ts';
import { shellWord } from '../environment.ts';
import { type Operator, withOperator } from '../operator.ts';
import type { Devstack } from '../stack.ts';
import { type LobbyAdmin, startLobbyAdmin } from './lobby-admin.ts';

export interface Stage extends Operator {
  admin: LobbyAdmin;
  workload: { namespace: string; name: string };
  /** Of `performance.now()`, when the operator was ready. */
  startedAt: number;
  /** kubectl and temporal as a person types them: the command and its answer are shown. @throws Error with its complaint. */
  type(program: 'kubectl' | 'temporal', ...args: string[]): Promise<void>;
}

const ROOT = dirname(dirname(import.meta.dirname));

/** Runs `play` on a stage and takes everything down again, however it ends. */
export async function onStage(
  log: (line: string) => void,
  signal: AbortSignal,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withOperator({ log, signal, userAgent: 'holdfast-demo' }, async (operator) => {
    const admin = await startLobbyAdmin();
    const workload = { namespace: 'default', name: 'lobby' };
    try {
      await play({ ...operator, admin, workload, startedAt: performance.now(), type: typist(operator.stack) });
    } finally {
      admin.close();
    }
  });
}

function typist(stack: Devstack): Stage['type'] {
  return async (program, ...args) => {
    console.log(`\n$ ${[program, ...args].map(shellWord).join(' ')}`);
    const env = childEnvironment(stack.env);
    // What `temporal env set` has kept in the home directory wins over variables.
    const more = program === 'temporal' ? ['--env-file', stack.env.TEMPORAL_CONFIG_FILE ?? ''] : [];
    const { stdout } = await promisify(execFile)(stack.binaries[program], [...args, ...more], { cwd: ROOT, env });
    if (stdout !== '') process.stdout.write(stdout);
  };
}
