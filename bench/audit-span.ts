/** When writes reached the API server, read from its audit log: measuring costs the measured nothing. */
import { type AuditEvent, orderWrites, readAuditLog } from '../test/faults/audit-log.ts';

export interface WriteSpan {
  writes: number;
  /** The API server's clock, epoch milliseconds. */
  firstMs: number;
  lastMs: number;
}

/** Writes of the operator to pods whose name begins so, from `sinceMs` on. @throws Error when there are none. */
export async function podWrites(path: string, prefix: string, sinceMs: number): Promise<WriteSpan> {
  const events = (await readAuditLog(path)).filter(isOperators);
  const writes = orderWrites(events).filter(
    ({ resource, key, receivedMs }) =>
      resource.startsWith('pods') && key.includes(`/${prefix}`) && receivedMs >= sinceMs,
  );
  if (writes.length === 0) throw new Error(`the operator wrote to no pod ${prefix}*`);
  return {
    writes: writes.length,
    firstMs: Math.min(...writes.map(({ receivedMs }) => receivedMs)),
    lastMs: Math.max(...writes.map(({ answeredMs }) => answeredMs)),
  };
}

/** When people began to change workloads whose names begin so, from `sinceMs` on. @throws Error when nobody did. */
export async function firstEdit(path: string, prefix: string, sinceMs: number): Promise<number> {
  const events = (await readAuditLog(path)).filter((event) => !isOperators(event));
  const edits = orderWrites(events).filter(
    ({ resource, key, receivedMs }) =>
      /^(gamedeployments|gamestatefulsets)(\/scale)?$/.test(resource) &&
      key.startsWith(`default/${prefix}`) &&
      receivedMs >= sinceMs,
  );
  if (edits.length === 0) throw new Error(`nobody wrote to ${prefix}`);
  return Math.min(...edits.map(({ receivedMs }) => receivedMs));
}

const isOperators = ({ userAgent = '' }: AuditEvent): boolean => /^holdfast\//.test(userAgent);
