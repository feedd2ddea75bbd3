/**
 * HookRuns of pods as the audit log tells of them: whom each was made for, how it ended and when, and whether others took it away.
 * Asked at one write after the other; judges nothing.
 */
import type { HookRun } from '../../crds/hook-run.ts';
import type { CommittedWrite } from './audit-log.ts';

export interface KnownRun {
  podUid: string;
  /** The label `hookrun-type`. */
  type: string;
  attempt: string | undefined;
  /** Revision of the pod. */
  revision: string | undefined;
  /** Uid of the workload. */
  owner: string | undefined;
  /** How it ended; absent while it runs. */
  verdict?: string;
  endedMs?: number;
  isGone?: true;
  /** By others than us. */
  isTaken?: true;
}

const TERMINAL: readonly string[] = ['Successful', 'Failed', 'Error', 'Inconclusive', 'Terminated', 'Skipped'];

/** Ended, and neither well nor because nobody waited for it any more. */
export const hasFailed = ({ verdict }: KnownRun): boolean =>
  verdict !== undefined && verdict !== 'Successful' && verdict !== 'Terminated';

function readRun({ metadata, status }: HookRun, endedMs: number): KnownRun | undefined {
  const { labels = {}, ownerReferences } = metadata;
  const podUid = labels['holdfast.dev/pod-uid'];
  if (podUid === undefined) return undefined;
  const phase = status?.phase ?? '';
  return {
    podUid,
    type: labels['hookrun-type'] ?? '',
    attempt: labels['holdfast.dev/attempt'],
    revision: labels['workload-revision'],
    owner: ownerReferences?.find(({ controller }) => controller === true)?.uid,
    ...(TERMINAL.includes(phase) ? { verdict: phase, endedMs } : {}),
  };
}

/** The HookRun that a write is about, where its answer shows it. */
function runIn({ resource, event }: CommittedWrite): HookRun | undefined {
  const isOfRun = resource === 'hookruns' || resource === 'hookruns/status';
  const run = event.responseObject as unknown as HookRun | undefined;
  return isOfRun && run?.metadata?.labels !== undefined ? run : undefined;
}

export class HookHistory {
  /** By namespace and name; a name that was given again means the later run. */
  readonly #byKey = new Map<string, KnownRun>();
  readonly #all: KnownRun[] = [];

  /** Takes a write over; one that is none of a HookRun of a pod changes nothing. */
  apply(write: CommittedWrite, isOurs: boolean): void {
    const { resource, key, event, answeredMs } = write;
    if (resource === 'hookruns' && event.verb === 'delete') this.#remove(key, isOurs);
    const run = runIn(write);
    const read = run && readRun(run, answeredMs);
    if (read === undefined || event.verb.startsWith('delete')) return;
    const known = this.#byKey.get(key);
    if (known !== undefined && event.verb !== 'create') Object.assign(known, known.verdict === undefined ? read : {});
    else this.#add(key, read);
  }

  #add(key: string, run: KnownRun): void {
    this.#byKey.set(key, run);
    this.#all.push(run);
  }

  #remove(key: string, isOurs: boolean): void {
    const run = this.#byKey.get(key);
    if (run !== undefined) Object.assign(run, { isGone: true, ...(isOurs ? {} : { isTaken: true }) });
  }

  /** The run that the write makes, of a pod. */
  static made(write: CommittedWrite): KnownRun | undefined {
    const run = write.resource === 'hookruns' && write.event.verb === 'create' ? runIn(write) : undefined;
    return run && readRun(run, write.answeredMs);
  }

  /** All runs of the pod by this hook, of one attempt where it is given. */
  of(podUid: string, type: string, attempt?: string): KnownRun[] {
    return this.#all.filter(
      (run) => run.podUid === podUid && run.type === type && (attempt === undefined || run.attempt === attempt),
    );
  }

  /** Runs of the workload's pods at the revision that have failed and are there. */
  failed(owner: string, type: string, revision: string): KnownRun[] {
    return this.#all.filter(
      (run) =>
        run.owner === owner && run.type === type && run.revision === revision && hasFailed(run) && run.isGone !== true,
    );
  }
}
