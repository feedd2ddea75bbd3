/** What the API server's audit log keeps: audit-policy.yaml, as it stands or without the bodies of what was written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `bodies`: each write with what was sent and answered, as the checker needs it; `metadata`: who wrote what when, as clusters log. */
export type AuditDetail = 'bodies' | 'metadata';

const POLICY = join(import.meta.dirname, 'audit-policy.yaml');

export function composeAuditPolicy(detail: AuditDetail): string {
  const policy = readFileSync(POLICY, 'utf8');
  return detail === 'bodies' ? policy : policy.replaceAll('level: RequestResponse', 'level: Metadata');
}
