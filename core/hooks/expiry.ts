/** When a finished run has stood long enough (decision 33). Pure. */

import type { HookRun } from '../../crds/hook-run.ts';
import { isTerminal } from './phases.ts';

/** Epoch milliseconds from which on the run may be deleted; undefined while it runs, and where it is to stay. */
export function expiresAtMs({ spec, status }: Pick<HookRun, 'spec' | 'status'>): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  const finishedAtMs = Date.parse(status?.finishedAt ?? '');
  if (ttlSecondsAfterFinished === undefined || !isTerminal(status?.phase) || Number.isNaN(finishedAtMs))
    return undefined;
  return finishedAtMs + ttlSecondsAfterFinished * 1000;
}
