/** What is told of a Job's log: its last lines, and no part of a Secret, wherever the server cut it. */
import { afterAll, expect, it } from 'vitest';
import type { Job } from './job.ts';
import { describeJobEnd } from './job-log.ts';
import { ProviderScene } from './provider-scene.ts';
import type { ProviderPorts } from './types.ts';

const scene = new ProviderScene();
afterAll(() => scene.close());

const SECRET = 'hunter2-hunter2-hunter2';
scene.secrets.game = { token: SECRET };
const reference = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'game', key: 'token' } } };
const job = {
  metadata: { name: 'migrate', namespace: 'default' },
  spec: { template: { spec: { containers: [{ name: 'c', image: 'i', env: [reference] }] } } },
} as unknown as Job;

/** As a kubelet hands it out: no more bytes than asked for, and half a character where they end. */
async function toldOf(log: string): Promise<string> {
  const context = scene.context();
  const client = {
    ...context.ports.client,
    list: async () => ({ items: [{ metadata: { name: 'pod', namespace: 'default' } }] }),
    readLog: async (_pod: unknown, { limitBytes }: { limitBytes: number }) =>
      Buffer.from(log).subarray(0, limitBytes).toString('utf8'),
  } as unknown as ProviderPorts['client'];
  return describeJobEnd(job, '', { ...context, ports: { ...context.ports, client } });
}

it.each<[string, string]>([
  ['one that stands whole before it', `${SECRET} ${'x'.repeat(16_384 - 2 * SECRET.length)}\n${SECRET}`],
  ['one among letters of two bytes', `${'ä'.repeat(8_000)}\n${'x'.repeat(370)}${SECRET}`],
  ['one in the only line', `${'x'.repeat(16_370)}${SECRET}`],
  ['many of them', `${`${SECRET}\n`.repeat(682)}${SECRET}`],
])('no part of a Secret that the server cut: %s', async (_title, log) => {
  const told = await toldOf(log);
  expect(Buffer.byteLength(log)).toBeGreaterThan(16_384);
  for (const part of ['hunter2', 'hunt', 'nter']) expect(told).not.toContain(part);
});

it('a log that was not cut is told to its end', async () => {
  expect(await toldOf(`a\n${SECRET}\n\nlast`)).toBe('log: a | *** | last');
  expect(await toldOf(`${'ä'.repeat(8_100)}\nlast`)).toMatch(/^log: …ä+ \| last$/);
});

it('one line that was cut is not taken for none', async () => {
  expect(await toldOf('x'.repeat(20_000))).toBe('the last line of pod pod is too long to be shown');
  expect(await toldOf('')).toBe('pod pod wrote no log');
});
