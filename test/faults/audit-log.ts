/**
 * The API server's audit log as events, and their order. Reads what the devstack's policy writes: level RequestResponse,
 * stage ResponseComplete, one JSON object a line. Judges nothing.
 */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KubernetesObject } from '../../crds/kubernetes.ts';

/** The fields of `audit.k8s.io/v1` Event that the checker reads. */
export interface AuditEvent {
  auditID: string;
  stage: string;
  verb: string;
  requestURI: string;
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string; uid?: string };
  responseStatus?: { code?: number };
  requestObject?: unknown;
  /** The object after the write; a Status or a list for some verbs. */
  responseObject?: { kind?: string; metadata?: Partial<KubernetesObject['metadata']>; [field: string]: unknown };
  requestReceivedTimestamp: string;
  stageTimestamp: string;
}

/**
 * Reads a log whole, with the files it was rotated into (`audit-<time>.jsonl` beside `audit.jsonl`); keeps completed
 * requests only. A last line that is still being written is left out.
 * @throws Error naming the file and line of anything else that is no JSON.
 */
export async function readAuditLog(path: string): Promise<AuditEvent[]> {
  const extension = extname(path);
  const stem = `${basename(path, extension)}-`;
  const rotated = (await readdir(dirname(path))).filter((name) => name.startsWith(stem) && name.endsWith(extension));
  const files = [...rotated.sort().map((name) => join(dirname(path), name)), path];
  const events: AuditEvent[] = [];
  for (const file of files) await readFileInto(events, file);
  return events;
}

/** Line by line: a long run's log is larger than the longest string. */
async function readFileInto(events: AuditEvent[], file: string): Promise<void> {
  let number = 0;
  let unreadable: Error | undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    // Forgiven only as the last line: then it is still being written.
    if (unreadable) throw unreadable;
    try {
      const event = JSON.parse(line) as AuditEvent;
      if (event.stage === 'ResponseComplete') events.push(event);
    } catch (cause) {
      unreadable = new Error(`${file}:${number} is no JSON: ${line.slice(0, 120)}`, { cause });
    }
  }
}

/** A write that the API server accepted, at its place in the order of writes. */
export interface CommittedWrite {
  event: AuditEvent;
  /** `pods`, `pods/status`, `gamedeployments/status`, … */
  resource: string;
  /** `<namespace>/<name>` of the object written. */
  key: string;
  /** The resourceVersion the write made; absent for answers that carry none (eviction, deletecollection). */
  revision: bigint | undefined;
  receivedMs: number;
  answeredMs: number;
}

/**
 * Accepted writes in the API server's order. All objects of one API server share etcd's revision, so the resulting
 * resourceVersion orders them; an answer without one stands where its time of answer puts it.
 */
export function orderWrites(events: readonly AuditEvent[]): CommittedWrite[] {
  const writes = events.filter(isAccepted).map(toCommittedWrite);
  const ordered = writes.filter((write) => write.revision !== undefined).sort(byRevision);
  const loose = writes.filter((write) => write.revision === undefined);
  for (const write of loose.sort((a, b) => a.answeredMs - b.answeredMs)) {
    const before = ordered.findLastIndex((other) => other.answeredMs <= write.answeredMs);
    ordered.splice(before + 1, 0, write);
  }
  return ordered;
}

function isAccepted(event: AuditEvent): boolean {
  const code = event.responseStatus?.code ?? 0;
  return code >= 200 && code < 300 && !event.requestURI.includes('dryRun=');
}

function toCommittedWrite(event: AuditEvent): CommittedWrite {
  const { resource = '', subresource, namespace = '', name } = event.objectRef ?? {};
  const answer = event.responseObject;
  const carriesObject = answer !== undefined && answer.kind !== 'Status' && event.verb !== 'deletecollection';
  const version = carriesObject ? answer.metadata?.resourceVersion : undefined;
  return {
    event,
    resource: subresource ? `${resource}/${subresource}` : resource,
    key: `${namespace}/${name ?? answer?.metadata?.name ?? ''}`,
    revision: version ? BigInt(version) : undefined,
    receivedMs: Date.parse(event.requestReceivedTimestamp),
    answeredMs: Date.parse(event.stageTimestamp),
  };
}

/** Equal revisions are writes that changed nothing: their order does not matter, time keeps it stable. */
function byRevision(a: CommittedWrite, b: CommittedWrite): number {
  if (a.revision !== b.revision) return (a.revision ?? 0n) < (b.revision ?? 0n) ? -1 : 1;
  return a.answeredMs - b.answeredMs;
}
