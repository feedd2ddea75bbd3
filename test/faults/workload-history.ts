/**
 * What the audit log says of workloads of both kinds over time: specs and statuses in force at a write. Read once, asked many times.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { CommittedWrite } from './audit-log.ts';

interface WorkloadVersion {
  /** Index in the order of writes. */
  position: number;
  atMs: number;
  object: GameWorkload;
}

const PLURALS = ['gamedeployments', 'gamestatefulsets'];
const KINDS = ['GameDeployment', 'GameStatefulSet'];

/** One workload, told apart by uid. */
export class WorkloadHistory {
  readonly key: string;
  readonly #versions: WorkloadVersion[] = [];
  #deletedAt = Number.POSITIVE_INFINITY;

  constructor(key: string) {
    this.key = key;
  }

  add(write: CommittedWrite, position: number): void {
    const object = this.#read(write);
    if (!object) return;
    this.#versions.push({ position, atMs: write.answeredMs, object });
    if (write.event.verb === 'delete' || object.metadata.deletionTimestamp) this.markDeleted(position);
  }

  markDeleted(position: number): void {
    this.#deletedAt = Math.min(this.#deletedAt, position);
  }

  isDeletedAt(position: number): boolean {
    return this.#deletedAt < position;
  }

  /** Every version that was in force at some moment from `sinceMs` up to the write at `position`; the newest first. */
  inForce(position: number, sinceMs: number): GameWorkload[] {
    const versions: GameWorkload[] = [];
    for (let index = this.#indexBefore(position); index >= 0; index--) {
      const version = this.#versions[index]!;
      versions.push(version.object);
      if (version.atMs <= sinceMs) break;
    }
    return versions;
  }

  /** Versions written after the write at `position`, up to `untilMs`, in order. */
  following(position: number, untilMs: number): GameWorkload[] {
    const later = this.#versions.slice(this.#indexBefore(position) + 1);
    return later.filter(({ atMs }) => atMs <= untilMs).map(({ object }) => object);
  }

  /** Since when the status has told of this update revision without a break; the beginning of time where it told of no other one. */
  targetSinceMs(position: number, revision: string): number {
    const isOther = ({ object: { status } }: WorkloadVersion) =>
      status?.updateRevision !== undefined && status.updateRevision !== revision;
    return this.#versions.slice(0, this.#indexBefore(position) + 1).findLast(isOther)?.atMs ?? 0;
  }

  /** When `retry` of the hook after updates turned true last; 0 where it never did. */
  retriedMs(position: number): number {
    const until = this.#versions.slice(0, this.#indexBefore(position) + 1);
    const turned = until.findLast(({ object }, index) => hasRetry(object) && !hasRetry(until[index - 1]?.object));
    return turned?.atMs ?? 0;
  }

  #indexBefore(position: number): number {
    return this.#versions.findLastIndex((version) => version.position < position);
  }

  /** `/scale` answers with a Scale: only its replicas are news. */
  #read({ resource, event }: CommittedWrite): GameWorkload | undefined {
    if (KINDS.includes(event.responseObject?.kind ?? '')) return event.responseObject as unknown as GameWorkload;
    const last = this.#versions.at(-1)?.object;
    if (!resource.endsWith('/scale') || !last) return undefined;
    const scale = event.responseObject?.spec as { replicas?: number } | undefined;
    return { ...last, spec: { ...last.spec, replicas: scale?.replicas ?? 0 } } as GameWorkload;
  }
}

const hasRetry = (workload: GameWorkload | undefined): boolean =>
  workload?.spec.postInplaceUpdateStrategy?.retry === true;

/** Every workload the log tells of, by uid. */
export function readWorkloads(writes: readonly CommittedWrite[]): Map<string, WorkloadHistory> {
  const byUid = new Map<string, WorkloadHistory>();
  const uidByKey = new Map<string, string>();
  for (const [position, write] of writes.entries()) {
    const [plural = ''] = write.resource.split('/');
    if (!PLURALS.includes(plural)) continue;
    // Both kinds may have one name.
    const name = `${plural} ${write.key}`;
    const uid = write.event.responseObject?.metadata?.uid;
    if (uid) {
      const history = byUid.get(uid) ?? new WorkloadHistory(write.key);
      byUid.set(uid, history);
      uidByKey.set(name, uid);
      history.add(write, position);
    } else if (write.event.verb === 'delete') {
      // Deleted at once, the answer is a Status that says little; whoever bears the name now is meant.
      byUid.get(uidByKey.get(name) ?? '')?.markDeleted(position);
    }
  }
  return byUid;
}
