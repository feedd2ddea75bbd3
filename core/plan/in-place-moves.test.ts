import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, pods, revision } from '../../test/support/pods.ts';
import { READINESS_GATE } from '../keys.ts';

describe('in place', () => {
  const inPlace = (grace = 0, more = {}) => ({
    type: 'InplaceUpdate' as const,
    maxUnavailable: 1,
    inPlaceUpdateStrategy: { gracePeriodSeconds: grace },
    ...more,
  });
  const closed = (since: number, message = 'r2') => ({
    type: READINESS_GATE,
    status: 'False' as const,
    reason: 'StartInPlaceUpdate',
    message,
    lastTransitionTime: iso(since),
  });

  it('closes the gate and patches in one activity without grace', () => {
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, pods: pods(2, 'r1') });
    expect(p.moves).toMatchObject([{ act: 'close-gate', revision: 'r2', thenPatch: true, spends: true }]);
  });

  it('row 42: with a grace the gate is closed once, then nothing until the grace is over', () => {
    const spec = { replicas: 2, updateStrategy: inPlace(10) };
    expect(plan({ spec, pods: pods(2, 'r1') }).moves).toMatchObject([{ act: 'close-gate', thenPatch: false }]);
    const waiting = aPod('r1')
      .condition(closed(NOW - 4_000))
      .notReady(3_000)
      .build();
    const during = plan({ spec, pods: [waiting, r('r1')] });
    expect(during.moves).toEqual([]);
    expect(during.lookAgainAtMs).toBe(NOW + 6_000);
    const over = aPod('r1')
      .condition(closed(NOW - 10_000))
      .notReady(9_000)
      .build();
    expect(plan({ spec, pods: [over, r('r1')] }).moves).toMatchObject([
      { act: 'patch-images', revision: 'r2', spends: false },
    ]);
  });

  it('the image is not patched before Ready=False was seen (report 6)', () => {
    const over = aPod('r1')
      .condition(closed(NOW - 10_000))
      .build();
    expect(plan({ spec: { replicas: 2, updateStrategy: inPlace(5) }, pods: [over, r('r1')] }).moves).toEqual([]);
  });

  it('row 107: rolled back during the grace: the gate opens, nothing restarts', () => {
    const waiting = aPod('r1')
      .condition(closed(NOW - 5_000))
      .notReady(4_000)
      .build();
    const p = plan({
      spec: { replicas: 2, updateStrategy: inPlace(30) },
      updateRevision: 'r1',
      allowance: { revision: 'r1', partition: 0, paused: false },
      pods: [waiting, r('r1')],
    });
    expect(p.moves).toMatchObject([{ act: 'open-gate', pod: waiting.metadata.name }]);
  });

  it.each([
    {
      row: '43, 109 env differs',
      change: (spec: { containers: { env?: unknown }[] }) =>
        Object.assign(spec.containers[0]!, { env: [{ name: 'A', value: '1' }] }),
      where: 'env',
    },
    { row: '43 nodeName differs', change: (spec: object) => Object.assign(spec, { nodeName: 'x' }), where: 'nodeName' },
    {
      row: '109 init container image',
      change: (spec: object) => Object.assign(spec, { initContainers: [{ name: 'i', image: 'i:2' }] }),
      where: 'initContainers',
    },
    {
      row: 'resources differ, beside an image or alone (peers 23, 26 to 29 and 41)',
      change: (spec: { containers: { resources?: unknown }[] }) =>
        Object.assign(spec.containers[0]!, { resources: { limits: { memory: '1Gi' } } }),
      where: 'resources',
    },
    {
      row: '109 container added',
      change: (spec: { containers: unknown[] }) => spec.containers.push({ name: 'x', image: 'x' }),
      where: 'containers',
    },
  ])('row $row: recreated by default, kept with fallback Fail, and said in one sentence', ({ change, where }) => {
    const target = revision('r2', 2);
    change(target.template.spec as never);
    const revisions = [revision('r1', 1), target];
    const recreated = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, revisions, pods: pods(2, 'r1') });
    expect(acts(recreated, 'delete')).toHaveLength(1);
    expect(recreated.blockers.find(({ reason }) => reason === 'InPlaceNotPossible')?.message).toContain(where);
    const fail = inPlace(0, { inPlaceUpdateStrategy: { fallback: 'Fail' } });
    expect(plan({ spec: { replicas: 2, updateStrategy: fail }, revisions, pods: pods(2, 'r1') }).moves).toEqual([]);
  });

  it('row 109: containers swapped', () => {
    const two = (first: string, second: string) => ({
      metadata: {},
      spec: {
        containers: [
          { name: first, image: 'a' },
          { name: second, image: 'b' },
        ],
      },
    });
    const revisions = [
      { name: 'r1', number: 1, template: two('x', 'y') },
      { name: 'r2', number: 2, template: two('y', 'x') },
    ];
    const p = plan({ spec: { replicas: 1, updateStrategy: inPlace() }, revisions, pods: pods(1, 'r1') });
    expect(p.blockers.map(({ reason }) => reason)).toContain('InPlaceNotPossible');
  });

  it.each([
    ['alone', 'game:r1'],
    ['beside a new image', 'game:r2'],
  ])('restartedAt %s recreates, with gates, whatever the fallback; nothing is degraded (decision 28)', (_, image) => {
    const target = revision('r2', 2, image);
    target.template.metadata!.annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-11-30T12:00:00Z' };
    const revisions = [revision('r1', 1), target];
    const updateStrategy = inPlace(0, { inPlaceUpdateStrategy: { fallback: 'Fail' } });
    const p = plan({ spec: { replicas: 2, updateStrategy }, revisions, pods: pods(2, 'r1') });
    expect(p.moves.map(({ act }) => act)).toEqual(['delete']);
    expect(p.blockers).toEqual([]);
    const preDeleteUpdateStrategy = { hook: { templateName: 'drain' } };
    const hookTemplates = { drain: { metadata: { name: 'drain' }, spec: { metrics: [] } } as never };
    const gated = { replicas: 2, updateStrategy, preDeleteUpdateStrategy };
    expect(plan({ spec: gated, hookTemplates, revisions, pods: pods(2, 'r1') }).moves).toMatchObject([
      { act: 'mark', mark: { kind: 'update' } },
    ]);
  });

  it.each(['RollingUpdate', 'InplaceUpdate'] as const)('equal revisions under two names move no pod (%s)', (type) => {
    const p = plan({
      spec: { replicas: 2, updateStrategy: { type } },
      revisions: [revision('r1', 1, 'game:1'), revision('r2', 2, 'game:1')],
      pods: pods(2, 'r1'),
    });
    expect(p.moves.map(({ act }) => act)).toEqual(['patch-metadata', 'patch-metadata']);
  });

  it('row 108: template metadata only: the label moves, nothing restarts', () => {
    const target = revision('r2', 2, 'game:r1');
    target.template.metadata = { labels: { app: 'lobby', tier: 'gold' } };
    const p = plan({
      spec: { replicas: 2, updateStrategy: inPlace() },
      revisions: [revision('r1', 1), target],
      pods: pods(2, 'r1'),
    });
    expect(p.moves.map(({ act }) => act)).toEqual(['patch-metadata', 'patch-metadata']);
  });

  const restarted = (change: (pod: Pod) => void) =>
    aPod('r2')
      .condition(closed(NOW - 5_000))
      .notReady(4_000)
      .with((pod) => {
        pod.metadata.generation = 2;
        const last = { game: { imageID: 'sha256:r1', containerID: 'containerd://old', restartCount: 0 } };
        const state = {
          revision: 'r2',
          updateTimestamp: iso(NOW - 5_000),
          lastContainerStatuses: last,
          podGeneration: 2,
        };
        pod.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
        change(pod);
      })
      .build();
  const status = (pod: Pod) => pod.status!.containerStatuses![0]!;
  it.each([
    { row: 'another image runs', change: (_: Pod) => undefined, opens: true },
    {
      row: 'the container did not restart',
      change: (pod: Pod) => {
        status(pod).containerID = 'containerd://old';
      },
      opens: false,
    },
    {
      row: '106 same digest under a new tag, observed generation seen (peers 11, report 1)',
      change: (pod: Pod) => {
        Object.assign(status(pod), { imageID: 'sha256:r1', image: 'game:r1' });
        pod.status!.observedGeneration = 2;
      },
      opens: true,
    },
    {
      row: 'a crash before the kubelet saw the patch proves nothing',
      change: (pod: Pod) => {
        Object.assign(status(pod), { imageID: 'sha256:r1', image: 'game:r1' });
      },
      opens: false,
    },
    {
      row: 'not ready yet',
      change: (pod: Pod) => {
        status(pod).ready = false;
      },
      opens: false,
    },
  ])('evidence: $row', ({ change, opens }) => {
    const pod = restarted(change);
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r1', pods: [pod, r('r2')] });
    expect(acts(p, 'open-gate')).toHaveLength(opens ? 1 : 0);
  });

  it('a gate is not given back while the images of before are still to come up (report 5)', () => {
    const given = (change: (pod: Pod) => void) =>
      restarted((pod) => {
        const gate = pod.status!.conditions!.find(({ type }) => type === READINESS_GATE)!;
        Object.assign(gate, { reason: 'StartInPlaceUpdate', message: 'r3' });
        change(pod);
      });
    const open = (pod: Pod) =>
      acts(
        plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r2', pods: [pod, r('r2')] }),
        'open-gate',
      );
    const stillOld = given((pod) => Object.assign(status(pod), { containerID: 'containerd://old', image: 'game:r1' }));
    expect(open(stillOld)).toEqual([]);
    expect(open(given(() => undefined))).toHaveLength(1);
  });

  it.each<[string, number, boolean]>([
    ['before the kubelet saw the patch nothing is known', 1, false],
    ['once it saw the patch and runs the image, no restart will come', 2, true],
  ])('a patch back to the image that runs: %s', (_sentence, observedGeneration, opens) => {
    const pod = restarted((seen) => {
      const state = {
        revision: 'r2',
        updateTimestamp: iso(NOW - 5_000),
        lastContainerStatuses: { game: {} },
        podGeneration: 2,
      };
      seen.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
      seen.status!.observedGeneration = observedGeneration;
    });
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r1', pods: [pod, r('r2')] });
    expect(acts(p, 'open-gate')).toHaveLength(opens ? 1 : 0);
  });

  it.each([
    ['True', []],
    ['False', ['open-gate']],
  ] as const)('a grace of existing operators for a revision that is gone, gate %s: opened once', (status, moves) => {
    const pod = aPod('gone')
      .annotated({ 'inplace-update-grace': '{}' })
      .condition({ type: READINESS_GATE, status })
      .build();
    const allowance = { revision: 'r2', partition: 2, paused: false };
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, allowance, pods: [pod, r('r1')] });
    expect(p.moves.map(({ act }) => act)).toEqual(moves);
  });

  it('superseded canary pods are updated before stable ones (game-workloads §5, 8)', () => {
    const canary = aPod('r2').build();
    const p = plan({
      spec: { replicas: 3, updateStrategy: inPlace() },
      revisions: [revision('r1', 1), revision('r2', 2), revision('r3', 3)],
      updateRevision: 'r3',
      allowance: { revision: 'r3', partition: 2, paused: false },
      pods: [r('r1'), r('r1'), canary],
    });
    expect(p.moves.map(({ pod }) => pod)).toEqual([canary.metadata.name]);
  });

  it('without an allowance for a revision nothing moves to it', () => {
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, allowance: null, pods: pods(2, 'r1') });
    expect(p.moves).toEqual([]);
    const canary = { updateStrategy: inPlace(), preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } };
    const lost = plan({ spec: { ...canary, replicas: 3 }, allowance: null, pods: [r('r1'), r('r2')] });
    expect(lost.moves).toMatchObject([{ act: 'create', revision: 'r1' }]);
  });
});
