import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type AuditDetail, composeAuditPolicy } from './audit-policy.ts';

interface Policy {
  rules: { level: string; resources?: unknown }[];
}

const policyOf = (detail: AuditDetail) => parse(composeAuditPolicy(detail)) as Policy;

test('without bodies the same writes are told of, and none of them with more than who, what and when', () => {
  expect(policyOf('bodies').rules.map(({ level }) => level)).toContain('RequestResponse');
  expect(new Set(policyOf('metadata').rules.map(({ level }) => level))).toEqual(new Set(['Metadata', 'None']));
  const resourcesOf = (detail: AuditDetail) => policyOf(detail).rules.map(({ resources }) => resources);
  expect(resourcesOf('metadata')).toEqual(resourcesOf('bodies'));
});
