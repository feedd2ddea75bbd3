/** The event recorder against the real apiserver, which is strict about times and series. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { type EventNote, type KubernetesEvent, referenceTo } from '../../kubernetes/event-notes.ts';
import { createEventRecorder, type EventRecorder } from '../../kubernetes/event-recorder.ts';
import { events, namespaces, pods } from '../../kubernetes/resource-types.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { createNamespace, makePod } from './objects.ts';

let server: ApiServer;
let client: KubernetesClient;
let recorder: EventRecorder;
let problems: unknown[];
let note: EventNote;

beforeAll(async () => {
  server = await startApiServer();
  ({ client } = server);
  await createNamespace(client, 'told');
});

afterAll(() => server?.stop());

beforeEach(async () => {
  problems = [];
  const onProblem = (problem: unknown) => problems.push(problem);
  recorder = createEventRecorder({ client, controller: 'holdfast.dev/controller', instance: 'test', onProblem });
  const pod = await client.create(pods, makePod(`pod-${Date.now()}`, 'told'));
  const regarding = referenceTo({ ...pod, apiVersion: 'v1', kind: 'Pod' });
  note = { regarding, type: 'Normal', reason: 'Paused', action: 'Pause', note: 'paused at step 1' };
});

async function eventsOf(told: EventNote): Promise<KubernetesEvent[]> {
  const fieldSelector = `involvedObject.name=${told.regarding.name}`;
  const list = await client.list(events, { namespace: told.regarding.namespace ?? 'default', fieldSelector });
  return list.items as KubernetesEvent[];
}

test('an event is written once, with six digits of a second', async () => {
  recorder.record(note);
  expect(await recorder.flush()).toBe(true);
  const found = await eventsOf(note);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ reason: 'Paused', message: 'paused at step 1', reportingInstance: 'test' });
  expect(found[0]?.eventTime).toMatch(/\.\d{6}Z$/);
  expect(found[0]?.lastTimestamp).toMatch(/:\d\dZ$/);
  expect(found[0]?.series).toBeUndefined();
});

test('the same thing again raises the count of the same event', async () => {
  recorder.record(note);
  await recorder.flush();
  for (let i = 0; i < 4; i += 1) recorder.record(note);
  recorder.record({ ...note, note: 'paused at step 2' });
  expect(await recorder.flush()).toBe(true);
  const counts = (await eventsOf(note)).map((event) => [event.message, event.series?.count]);
  expect(counts.sort()).toEqual([
    ['paused at step 1', 5],
    ['paused at step 2', undefined],
  ]);
});

test('the last time is that of the last repetition, which kubectl describe sorts by', async () => {
  const early = new Date('2026-01-02T03:04:05.678Z');
  let at = early;
  const clock = { wall: () => at, monotonic: () => performance.now() };
  const told = createEventRecorder({ client, controller: 'holdfast.dev/controller', instance: 'test', clock });
  told.record(note);
  await told.flush();
  at = new Date(early.getTime() + 60_000);
  told.record(note);
  await told.flush();
  const [event] = await eventsOf(note);
  expect(event).toMatchObject({ firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:05:05Z' });
});

test('what happened several times before it was written comes with its count', async () => {
  for (let i = 0; i < 3; i += 1) recorder.record(note);
  expect(await recorder.flush()).toBe(true);
  expect((await eventsOf(note)).map((event) => event.series?.count)).toEqual([3]);
});

test('an event that is gone from the cluster is told anew', async () => {
  recorder.record(note);
  await recorder.flush();
  const [first] = await eventsOf(note);
  await client.delete(events, first!.metadata);
  recorder.record(note);
  expect(await recorder.flush()).toBe(true);
  expect(await eventsOf(note)).toHaveLength(1);
});

test('a note of many kilobytes is cut, not refused', async () => {
  recorder.record({ ...note, note: 'ü'.repeat(5_000) });
  expect(await recorder.flush()).toBe(true);
  expect(problems).toEqual([]);
  expect(await eventsOf(note)).toHaveLength(1);
});

test('an event about a cluster-wide object stands in the default namespace', async () => {
  const namespace = await client.get(namespaces, { name: 'told' });
  const regarding = referenceTo({ ...namespace, apiVersion: 'v1', kind: 'Namespace' });
  await client
    .create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
    .catch(() => undefined);
  recorder.record({ ...note, regarding });
  expect(await recorder.flush()).toBe(true);
  expect(problems).toEqual([]);
  expect(await eventsOf({ ...note, regarding })).toHaveLength(1);
});

test('an event that the API refuses is reported and forgotten', async () => {
  recorder.record({ ...note, reason: '' });
  expect(await recorder.flush()).toBe(true);
  expect(problems).toMatchObject([{ reason: 'invalid' }]);
});
