/** Clears away HookRuns that nobody waits for (core/plan/stray-runs.ts): what a kill, or a failed removal, has left. */
import { isTerminal } from '../core/hooks/phases.ts';
import { strayRuns } from '../core/plan/stray-runs.ts';
import { dropHookRun } from './marks.ts';
import type { Facts } from './observation.ts';
import type { Ports } from './ports.ts';

/** A report is short; the next one has the rest. */
const MOST_AT_ONCE = 50;

/** One that cannot be removed now is found again. */
export async function removeStrayRuns(
  { client, log, nowMs }: Ports,
  input: Facts['input'],
  signal: AbortSignal,
): Promise<void> {
  const tools = { client, nowMs, fence: { isOpen: () => !signal.aborted } };
  for (const { metadata, status } of strayRuns(input).slice(0, MOST_AT_ONCE)) {
    const { name, namespace = '', uid = '' } = metadata;
    await dropHookRun(tools, { namespace, name, uid, isOver: isTerminal(status?.phase), keepsFailed: true }, (err) =>
      log.warn({ err, hookRun: name }, 'a HookRun that nobody waits for was not removed'),
    );
  }
}
