/** What the demo prints at the pause: commands of a person that work in any other terminal. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { userName } from '../../cli/user-name.ts';
import { rolloutId } from '../../workflows/ids.ts';
import { shellWord } from '../environment.ts';
import type { Devstack } from '../stack.ts';
import type { Stage } from './stage.ts';

type Workload = Stage['workload'];

const idOf = (workload: Workload): string => rolloutId({ kind: 'gamedeployment', ...workload });

/** The signal that ends the pause, as the temporal CLI takes it; the summary tells who sent it. */
export function signalOf(workload: Workload, by: string): string[] {
  const message = JSON.stringify({ by, step: 1 });
  return ['workflow', 'signal', '-w', idOf(workload), '--name', 'resume', '--input', message];
}

/** Whatever PATH the other terminal has, and whatever `inherited` says there of another Temporal. */
export function invitation(
  { binaries, env, kubeconfig }: Pick<Devstack, 'binaries' | 'env' | 'kubeconfig'>,
  workload: Workload,
  inherited: NodeJS.ProcessEnv,
): string {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '', TEMPORAL_UI: ui } = env;
  const without = withoutSettings(inherited, env.TEMPORAL_CONFIG_FILE ?? '');
  const bySignal = [
    ...[binaries.temporal, ...signalOf(workload, userName() ?? 'somebody')],
    ...['--address', address, '--namespace', namespace],
  ];
  const byHoldfast = [
    ...['npm', 'run', '-s', 'holdfast', '--', 'resume', `gamedeployment/${workload.name}`],
    ...['--kubeconfig', kubeconfig, '--temporal-address', address, '--temporal-namespace', namespace],
  ];
  return [
    'The canary waits for you. Go on from another terminal with one of',
    `  ${[...without, ...bySignal].map(shellWord).join(' ')}`,
    `  ${[...without, ...byHoldfast].map(shellWord).join(' ')}`,
    `The whole story: ${ui}/namespaces/${namespace}/workflows/${encodeURIComponent(idOf(workload))}`,
    'Ctrl-C stops everything.',
  ].join('\n');
}

/** Flags win over address and namespace, but not over a key or certificates: both programs would use those here, too. */
function withoutSettings(inherited: NodeJS.ProcessEnv, noFile: string): string[] {
  const names = Object.keys(inherited).filter((name) => name.startsWith('TEMPORAL_'));
  const config = join(inherited.XDG_CONFIG_HOME || join(inherited.HOME || homedir(), '.config'), 'temporalio');
  const hasFile = names.includes('TEMPORAL_CONFIG_FILE') || existsSync(join(config, 'temporal.toml'));
  if (names.length === 0 && !hasFile) return [];
  const unset = names.filter((name) => name !== 'TEMPORAL_CONFIG_FILE').flatMap((name) => ['-u', name]);
  return ['env', ...unset, ...(hasFile ? [`TEMPORAL_CONFIG_FILE=${noFile}`] : [])];
}
