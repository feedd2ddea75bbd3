/**
 * The log of counted writes and the faults armed against them. Two orders are counted: `n` as writes arrive at the proxy,
 * `commit` as the API server accepts them (2xx). Decides only; the proxy carries it out.
 */
import type { ApiRequest } from './api-request.ts';

/** One counted write. Live: the proxy fills it in while the write proceeds. */
export interface WriteRecord {
  /** 1 for the first counted write that arrived. */
  n: number;
  /** 1 for the first counted write the API server accepted; absent while unanswered or refused. */
  commit?: number;
  method: string;
  path: string;
  resource: string;
  name?: string;
  userAgent: string;
  /** The API server's answer; absent while it has none. */
  status?: number;
  /** Milliseconds since the epoch. */
  arrivedAt: number;
  answeredAt?: number;
  /** `discarded`: never reached the API server. `unreachable`: the connection to the API server failed. */
  outcome: 'pending' | 'held' | 'answered' | 'dropped' | 'discarded' | 'unreachable';
}

/** A number counts in the order that the fault names; a predicate takes the first write it says yes to. */
export type WriteSelector = number | ((write: WriteRecord) => boolean);

export interface HeldWrite {
  /** The write, once it has arrived and is held; its `status` tells when the API server has answered it. */
  readonly write: WriteRecord | undefined;
  /** Lets the write go to the API server, whether or not its client still waits. */
  release(): void;
  /** Lets the write never reach the API server; its connection is reset. */
  discard(): void;
}

interface CommitFault {
  selector: WriteSelector;
  act: (write: WriteRecord) => void | Promise<void>;
}

interface Hold {
  selector: WriteSelector;
  take: (write: WriteRecord) => Promise<'deliver' | 'discard'>;
  discard: () => void;
}

/** State of one proxy's writes; every fault fires once. */
export class WriteFaults {
  #records: WriteRecord[] = [];
  #commits = 0;
  #commitFaults: CommitFault[] = [];
  #holds: Hold[] = [];
  #taken: Hold[] = [];

  get records(): readonly WriteRecord[] {
    return this.#records;
  }

  /** Forgets the log, starts both counts anew, disarms every fault; held writes are discarded. */
  reset(): void {
    for (const hold of this.#taken) hold.discard();
    this.#records = [];
    this.#commits = 0;
    this.#commitFaults = [];
    this.#holds = [];
    this.#taken = [];
  }

  arrive(request: ApiRequest, userAgent: string): WriteRecord {
    const { method, path, resource, name } = request;
    const n = this.#records.length + 1;
    const arrivedAt = Date.now();
    const record: WriteRecord = { n, method, path, resource, name, userAgent, arrivedAt, outcome: 'pending' };
    this.#records.push(record);
    return record;
  }

  /** Notes the API server's answer; gives the write its place in the order of commits when it was accepted. */
  answer(write: WriteRecord, status: number): void {
    write.status = status;
    write.answeredAt = Date.now();
    // A write that outlived a reset belongs to no count any more.
    if (status < 300 && this.#records.includes(write)) write.commit = ++this.#commits;
  }

  /** Arms: once the selected write is committed, `act` runs and then its answer is dropped. Counts commits. */
  armCommit(selector: WriteSelector, act: CommitFault['act']): void {
    this.#commitFaults.push({ selector, act });
  }

  /** Arms: the selected write waits before the API server. Counts arrivals. */
  armHold(selector: WriteSelector, releaseAfterMs: number | undefined): HeldWrite {
    const gate = Promise.withResolvers<'deliver' | 'discard'>();
    const held: { write: WriteRecord | undefined } = { write: undefined };
    const take = (write: WriteRecord) => {
      held.write = write;
      write.outcome = 'held';
      if (releaseAfterMs !== undefined) setTimeout(() => gate.resolve('deliver'), releaseAfterMs).unref();
      return gate.promise;
    };
    this.#holds.push({ selector, take, discard: () => gate.resolve('discard') });
    return {
      get write() {
        return held.write;
      },
      release: () => gate.resolve('deliver'),
      discard: () => gate.resolve('discard'),
    };
  }

  /** Waits while the write is held; `discard` when the proxy was reset meanwhile. */
  async passArrival(write: WriteRecord): Promise<'deliver' | 'discard'> {
    const hold = takeFirst(this.#holds, (fault) => selects(fault.selector, write, write.n));
    if (!hold) return 'deliver';
    this.#taken.push(hold);
    return hold.take(write);
  }

  /** The fault that waits for this committed write, if any. */
  takeCommitFault(write: WriteRecord): CommitFault | undefined {
    const { commit } = write;
    if (commit === undefined) return undefined;
    return takeFirst(this.#commitFaults, (fault) => selects(fault.selector, write, commit));
  }
}

function selects(selector: WriteSelector, write: WriteRecord, count: number): boolean {
  return typeof selector === 'number' ? selector === count : selector(write);
}

function takeFirst<T>(list: T[], matches: (item: T) => boolean): T | undefined {
  const index = list.findIndex(matches);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}
