import { describe, expect, it } from 'vitest';
import { iso, NOW } from '../../../test/support/pods.ts';
import { aSetPod, PARALLEL, type SetChanges, setPlan, terminating, told } from '../../../test/support/sets.ts';
import { needsPerson } from '../wave.ts';

const STABLE = { updateRevision: 'r2', stableRevision: 'r2' };

describe('pods on lost nodes (game-workloads §1.5)', () => {
  const LOST = 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete';
  const lost = (annotation: string, dueMs: number) =>
    terminating(
      aSetPod(0, 'r2')
        .node('node-2')
        .annotated({ [LOST]: annotation })
        .build(),
      dueMs,
    );
  const notReady = { 'node-2': { ready: false } };
  const ask = (annotation: string, nodes: SetChanges['nodes'], changes: SetChanges = {}, dueMs = NOW - 10_000) =>
    setPlan({ ...STABLE, spec: { replicas: 1 }, nodes, pods: [lost(annotation, dueMs)], ...changes });

  it('row 76: terminating with the annotation on a node that is not Ready: deleted by force, then made again', () => {
    expect(ask('true', notReady).moves).toMatchObject([{ act: 'delete', pod: 'lobby-0', force: true, spends: false }]);
    expect(told(setPlan({ ...STABLE, spec: { replicas: 1 } }))).toBe('+0@r2');
  });

  it('row 76: without the annotation it is waited for, and said so', () => {
    const p = ask('false', notReady);
    expect(p.moves).toEqual([]);
    expect(p.blockers).toMatchObject([{ reason: 'PodTerminating', pod: 'lobby-0', sinceMs: NOW - 10_000 }]);
  });

  it('a node whose object is gone is lost as well (game-workloads §5, 29)', () => {
    expect(ask('true', {}).moves).toMatchObject([{ act: 'delete', force: true }]);
  });

  it('a pod that is waited for is named from the start, and looked for again when it should be gone', () => {
    const dueMs = NOW + 30_000;
    const p = setPlan({ ...STABLE, spec: { replicas: 1 }, pods: [terminating(aSetPod(0, 'r2').build(), dueMs)] });
    expect(p.blockers).toEqual([
      { reason: 'PodTerminating', pod: 'lobby-0', message: expect.stringContaining(iso(dueMs)) },
    ]);
    expect([p.lookAgainAtMs, p.blockers.some(needsPerson)]).toEqual([dueMs, false]);
  });

  it('one that a finalizer holds after that is not deleted again and again, and is said', () => {
    const pod = lost('true', NOW - 10_000);
    Object.assign(pod.metadata, { deletionGracePeriodSeconds: 0, finalizers: ['example.com/backup'] });
    const p = setPlan({ ...STABLE, spec: { replicas: 1 }, nodes: notReady, pods: [pod] });
    expect(p.moves).toEqual([]);
    expect(p.blockers).toMatchObject([{ reason: 'PodTerminating', pod: 'lobby-0' }]);
  });

  it('a pod whose node is Ready is not', () => {
    expect(ask('true', { 'node-2': { ready: true } }).moves).toEqual([]);
  });

  it.each([20_000, -9_000])(
    'neither is one whose time is over in %i ms: 10 s more pass, since clocks differ',
    (leftMs) => {
      const early = ask('true', notReady, {}, NOW + leftMs);
      expect([early.moves, early.lookAgainAtMs]).toEqual([[], NOW + leftMs + 10_000]);
    },
  );

  it('while nobody has heard of the nodes none of them is lost, and the pod is said', () => {
    const p = ask('true', notReady, { areNodesStale: true });
    expect(p.moves).toEqual([]);
    expect(p.blockers).toMatchObject([{ reason: 'PodTerminating', pod: 'lobby-0' }]);
  });
});

describe('claims (kubernetes-controllers §3.4, report 35 of in-place-peers)', () => {
  const volumeClaimTemplates = ['data', 'log'].map((name) => ({ metadata: { name }, spec: {} }));
  const spec = { replicas: 2, ...PARALLEL, volumeClaimTemplates };
  const there = { isTerminating: false };

  it('those that are missing are made before their pod, the others are left as they are', () => {
    const claims = { 'data-lobby-0': there, 'log-lobby-0': there, 'data-lobby-1': there };
    const [zero, one] = setPlan({ ...STABLE, spec, claims }).moves;
    expect(zero).not.toHaveProperty('claims');
    expect(one).toMatchObject({ pod: 'lobby-1', claims: ['log-lobby-1'] });
    expect(setPlan({ ...STABLE, spec }).moves[0]).toMatchObject({ claims: ['data-lobby-0', 'log-lobby-0'] });
  });

  it('a pod waits for a claim of an earlier life that is going; Parallel makes the others, OrderedReady none', () => {
    const claims = { 'data-lobby-0': { isTerminating: true }, 'data-lobby-1': there };
    const p = setPlan({ ...STABLE, spec, claims });
    expect(told(p)).toBe('+1@r2');
    expect(p.blockers).toMatchObject([{ reason: 'ClaimTerminating', pod: 'lobby-0' }]);
    expect(told(setPlan({ ...STABLE, spec: { ...spec, podManagementPolicy: 'OrderedReady' }, claims }))).toBe('');
  });

  it('such a pod that the update replaces as well is deleted once', () => {
    const old = pending(['data-lobby-0', 'log-lobby-0'], 60_000);
    old.metadata.labels!['controller-revision-hash'] = 'r1';
    const claims = { 'data-lobby-0': there };
    expect(told(setPlan({ spec: { ...spec, replicas: 1 }, claims, pods: [old] }))).toBe('-0');
  });

  const pending = (volumes: string[], ageMs: number) =>
    aSetPod(0, 'r2')
      .node(undefined)
      .phase('Pending')
      .notReady()
      .with((pod) => {
        pod.metadata.creationTimestamp = iso(NOW - ageMs);
        pod.spec.volumes = volumes.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
      })
      .build();

  it.each([
    { row: '78 it mounts data and log', volumes: ['data-lobby-0', 'log-lobby-0'], moves: '-0' },
    { row: '78 it mounts data and backup', volumes: ['data-lobby-0', 'backup-lobby-0'], moves: '' },
    { row: '78 it mounts none', volumes: [], moves: '' },
  ])('a pod that cannot start because log is gone is made again with it; row $row (peers 62)', ({ volumes, moves }) => {
    const ask = (ageMs: number) =>
      setPlan({
        ...STABLE,
        spec: { ...spec, replicas: 1 },
        claims: { 'data-lobby-0': there },
        pods: [pending(volumes, ageMs)],
      });
    expect(told(ask(60_000))).toBe(moves);
    expect(ask(4_000).moves).toEqual([]);
  });
});
