/** Pods whose revision is gone (docs/adr/0017): what surely runs something else moves, what may run the target stays and is said. */
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { plan } from '../../test/support/plans.ts';
import { aPod, iso, NOW, revision, templateOf } from '../../test/support/pods.ts';
import { aSetPod, setInput } from '../../test/support/sets.ts';
import { planGameStatefulSet } from './game-stateful-set.ts';

/** It runs the image of r2 and a container that nobody asks for. */
const alike = (name = 'lobby-a'): Pod =>
  aPod('gone', name)
    .with(({ spec }) => {
      spec.containers = [
        { name: 'game', image: 'game:r2' },
        { name: 'mesh', image: 'm' },
      ];
    })
    .build();
const other = (name = 'lobby-b'): Pod => aPod('gone', name).build();

const moved = ({ moves }: ReturnType<typeof plan>) => moves.map(({ act, pod }) => `${act} ${pod}`);

describe.each(['RollingUpdate', 'InplaceUpdate', 'HotPatchUpdate'] as const)('under %s', (type) => {
  const spec = { replicas: 2, updateStrategy: { type, maxUnavailable: 2 } };

  it('a pod that runs something else moves as any old pod', () => {
    expect(moved(plan({ spec, pods: [other('lobby-a'), other()] }))).toEqual(['delete lobby-a', 'delete lobby-b']);
  });

  it('a pod that may run the target already is left alone, and a condition says so until somebody acts', () => {
    const p = plan({ spec, pods: [alike(), other()] });
    expect(moved(p)).toEqual(['delete lobby-b']);
    expect([p.reached, p.blockers.find(({ reason }) => reason === 'RevisionMissing')]).toEqual([
      false,
      expect.objectContaining({ pod: 'lobby-a', message: expect.stringMatching(/carries revision gone.*delete it/) }),
    ]);
  });

  it('a restart that the template asks for is such an act', () => {
    const template = { ...templateOf('game:r2'), metadata: { labels: { app: 'lobby' }, annotations: { now: '1' } } };
    const p = plan({ spec, pods: [alike(), aPod('r2').build()], revisions: [{ ...revision('r2', 2), template }] });
    expect(moved(p)).toEqual(['delete lobby-a']);
  });
});

it('of a GameStatefulSet as well: the others go on around it', () => {
  const pods = [
    aSetPod(0, 'r1').build(),
    aSetPod(1, 'gone')
      .with(({ spec }) => {
        spec.containers = [
          { name: 'game', image: 'game:r2' },
          { name: 'mesh', image: 'm' },
        ];
      })
      .build(),
  ];
  const p = planGameStatefulSet(setInput({ spec: { replicas: 2, podManagementPolicy: 'Parallel' }, pods }));
  expect(moved(p)).toEqual(['delete lobby-0']);
  expect(p.blockers).toContainEqual(expect.objectContaining({ reason: 'RevisionMissing', pod: 'lobby-1' }));
});

it('in a pause nothing is said of it: nothing would move anyhow', () => {
  const allowance = { revision: 'r2', partition: 0, paused: true };
  expect(plan({ spec: { replicas: 1 }, allowance, pods: [alike()] }).blockers).toEqual([]);
});

describe('a pod in the grace of another operator, whose revision is gone', () => {
  const stranded = (gate: 'True' | 'False') =>
    aPod('gone', 'lobby-a')
      .with((pod) => {
        const updateTimestamp = iso(NOW - 60_000);
        Object.assign(pod.metadata.annotations!, {
          'inplace-update-grace': JSON.stringify({ revision: 'gone', containerImages: { game: 'game:gone' } }),
          'inplace-update-state': JSON.stringify({ revision: 'gone', updateTimestamp, lastContainerStatuses: {} }),
        });
        pod.spec.containers[0]!.image = 'game:r2';
        pod.status!.conditions!.find(({ type }) => type === 'InPlaceUpdateReady')!.status = gate;
      })
      .build();

  it.each(['True', 'False'] as const)('is not finished, and that is said; gate %s', (gate) => {
    const p = plan({ spec: { replicas: 1, updateStrategy: { type: 'InplaceUpdate' } }, pods: [stranded(gate)] });
    expect(moved(p)).toEqual(gate === 'True' ? [] : ['open-gate lobby-a']);
    expect(p.blockers[0]).toMatchObject({ reason: 'RevisionMissing', pod: 'lobby-a' });
  });

  it('also in a pause', () => {
    const allowance = { revision: 'r2', partition: 0, paused: true };
    const { blockers } = plan({ spec: { replicas: 1 }, allowance, pods: [stranded('True')] });
    expect(blockers).toMatchObject([
      { reason: 'RevisionMissing', message: expect.stringContaining('take its annotation inplace-update-grace away') },
    ]);
  });

  it('is not said where the pod is replaced now', () => {
    const pod = stranded('True');
    pod.spec.containers[0]!.image = 'game:r1';
    const p = plan({ spec: { replicas: 1, updateStrategy: { type: 'InplaceUpdate' } }, pods: [pod] });
    expect(moved(p)).toEqual(['delete lobby-a']);
    expect(p.blockers.map(({ reason }) => reason)).not.toContain('RevisionMissing');
  });
});
