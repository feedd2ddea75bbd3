/** Ends the Jobs that a run with a verdict has left. Where that is refused, people are told: the verdict is not held up by it. */
import { describeFault, traceFault } from '../../core/hooks/fault.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { referenceTo } from '../../kubernetes/event-notes.ts';
import type { EventRecorder } from '../../kubernetes/event-recorder.ts';
import type { Logger } from '../ports.ts';
import { endJobs } from './providers/job.ts';
import type { ProviderPorts } from './providers/types.ts';

export interface LeftoverPorts {
  client: ProviderPorts['client'];
  recorder: Pick<EventRecorder, 'record'>;
  log: Pick<Logger, 'warn'>;
  /** Epoch milliseconds. */
  nowMs: () => number;
}

/** What comes of narrowed rights, a webhook or an apiserver without Jobs: asking again gets the same answer. */
const REFUSALS = ['forbidden', 'invalid', 'badRequest', 'notFound', 'other'] as const;
/** So long a verdict may be held up by an API server that cannot just now: a webhook that does not answer may never come back. */
const PATIENCE_MS = 60_000;

/** @throws ApiError to be tried again; never for a refusal, and not for long. */
export async function endLeftoverJobs(ports: LeftoverPorts, run: HookRun, signal: AbortSignal): Promise<void> {
  const { namespace = '', name, uid = '' } = run.metadata;
  try {
    await endJobs(ports.client, { namespace, uid }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isApiError(error) && !isApiError(error, ...REFUSALS) && isRecent(run, ports.nowMs())) throw error;
    const why = isApiError(error) ? { err: error } : traceFault(error);
    ports.log.warn({ ...why, namespace, hookRun: name }, 'Jobs of a HookRun that has ended could not be ended');
    ports.recorder.record(refusalNote(run, isApiError(error) ? error.message : describeFault(error)));
  }
}

/** A run without an end has ended just now: what was read of it is older. */
function isRecent({ status }: HookRun, nowMs: number): boolean {
  return !(nowMs - Date.parse(status?.finishedAt ?? '') >= PATIENCE_MS);
}

function refusalNote(run: HookRun, message: string) {
  const note = `Jobs of this run that still go on could not be ended, they go with it: ${message}`;
  return { regarding: referenceTo(run), type: 'Warning', reason: 'JobsNotEnded', action: 'EndJobs', note } as const;
}
