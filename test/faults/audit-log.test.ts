import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuditEvent, orderWrites, readAuditLog } from './audit-log.ts';

/** An event that answered `second` seconds after noon; without a version its answer is a Status. */
function eventAt(
  auditID: string,
  second: number,
  resourceVersion?: number,
  changes: Partial<AuditEvent> = {},
): AuditEvent {
  const time = new Date(Date.parse('2026-01-01T12:00:00Z') + second * 1_000).toISOString();
  return {
    auditID,
    stage: 'ResponseComplete',
    verb: 'patch',
    requestURI: '/api/v1/namespaces/games/pods/a',
    objectRef: { resource: 'pods', namespace: 'games', name: 'a' },
    responseStatus: { code: 200 },
    responseObject: resourceVersion ? { metadata: { resourceVersion: String(resourceVersion) } } : { kind: 'Status' },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    ...changes,
  };
}

describe('the order of writes', () => {
  const orderOf = (events: AuditEvent[]) => orderWrites(events).map(({ event }) => event.auditID);

  test.each<{ name: string; events: AuditEvent[]; want: string[] }>([
    {
      name: 'resourceVersions as numbers, whatever the order of answers',
      events: [eventAt('ten', 1, 10), eventAt('nine', 2, 9)],
      want: ['nine', 'ten'],
    },
    {
      name: 'an answer without a version stands by its time',
      events: [eventAt('evict', 2), eventAt('later', 3, 12), eventAt('earlier', 1, 11)],
      want: ['earlier', 'evict', 'later'],
    },
    {
      name: 'refused writes and dry runs are none',
      events: [
        eventAt('refused', 1, 10, { responseStatus: { code: 409 } }),
        eventAt('dry', 2, 11, { requestURI: '/api/v1/namespaces/games/pods?dryRun=All' }),
        eventAt('done', 3, 12, { responseStatus: { code: 201 } }),
      ],
      want: ['done'],
    },
  ])('$name', ({ events, want }) => {
    expect(orderOf(events)).toEqual(want);
  });

  test('names the resource with its subresource, and the object', () => {
    const status = eventAt('s', 1, 10, {
      objectRef: { resource: 'pods', subresource: 'status', namespace: 'games', name: 'a' },
    });
    expect(orderWrites([status])[0]).toMatchObject({ resource: 'pods/status', key: 'games/a', revision: 10n });
  });
});

describe('reading the file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-audit-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const line = (auditID: string, stage = 'ResponseComplete') =>
    `${JSON.stringify(eventAt(auditID, 1, 1, { stage }))}\n`;
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  const read = async () => (await readAuditLog(join(directory, 'audit.jsonl'))).map(({ auditID }) => auditID);

  test('keeps completed requests, reads rotated files first, and leaves out a line still being written', async () => {
    await write('audit-2026-01-01T12-00-00.000.jsonl', line('oldest'));
    await write('audit-2026-01-01T13-00-00.000.jsonl', line('older'));
    await write('other.jsonl', line('foreign'));
    await write('audit.jsonl', `${line('begun', 'RequestReceived')}${line('newest')}${line('cut').slice(0, 40)}`);
    expect(await read()).toEqual(['oldest', 'older', 'newest']);
  });

  test('tells of a broken line in the middle', async () => {
    await write('audit.jsonl', `${line('first')}broken\n${line('last')}`);
    await expect(read()).rejects.toThrow(/audit\.jsonl:2 is no JSON: broken/);
  });
});
