/** Pods that nobody controls and that a workload takes as its own, and pods that it lets go (kubernetes-controllers §2.1). */
import { describe, expect, it } from 'vitest';
import type { Move } from '../core/plan/types.ts';
import type { OwnerReference, Pod } from '../crds/kubernetes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, KEY, PodScene, summaryOf } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { runMoves } from './moves.ts';
import { observe } from './observe.ts';

const HELM: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'helm', uid: 'uid-helm' };

const told = (moves: Move[]): string[] => moves.map(({ act, pod }) => `${act} ${pod}`);

/** As an orphan delete leaves it. */
const leave = (scene: PodScene, pod: Pod): Pod => scene.cluster.put('pods', pod);

async function movesOf(scene: PodScene, quorum = false): Promise<string[]> {
  const { moves } = await observe(scene.ports, scene.observeRequest({ quorum }), anAttempt());
  return told(moves);
}

/** What the set plans, which has the name and the labels of the GameDeployment. */
async function setMovesOf(scene: SetScene): Promise<string[]> {
  const request = { ...scene.observeRequest(), key: SET_KEY, uid: SET_UID, context: scene.setContext() };
  return told((await observe(scene.ports, request, anAttempt())).moves);
}

/** Observes, and carries out what was seen. */
async function moveOnce(scene: PodScene, attempt = anAttempt()) {
  const { moves, fence, asOfMs } = await observe(scene.ports, scene.observeRequest(), anAttempt());
  return summaryOf(await runMoves(scene.ports, scene.moveRequest(moves, { fence, asOfMs }), attempt));
}

const ownersOf = (scene: PodScene, name: string) => scene.cluster.pod(name)?.metadata.ownerReferences;

describe('what is adopted', () => {
  it.each([false, true])('comes before anything is created, and counts at once; quorum %s', async (quorum) => {
    const scene = new PodScene({ replicas: 3 });
    leave(scene, aPod('r2', 'lobby-a').build());
    leave(scene, aPod('r1', 'lobby-b').build());
    const seen = await observe(scene.ports, scene.observeRequest({ quorum }), anAttempt());
    expect(told(seen.moves)).toEqual(['adopt lobby-a', 'adopt lobby-b']);
    expect(seen).toMatchObject({ firstCreation: false, reached: false });
    expect(seen.counts).toMatchObject({ replicas: 2, updated: 1, perRevision: { r1: 1, r2: 1 } });
  });

  it('has the workload as controller, beside other owners, and is changed in nothing else', async () => {
    const scene = new PodScene({ replicas: 1 });
    const before = leave(
      scene,
      aPod('r2', 'lobby-a')
        .with((pod) => Object.assign(pod.metadata, { ownerReferences: [HELM] }))
        .build(),
    );
    expect(await moveOnce(scene)).toEqual({ done: 1, moved: 0, unresolved: [] });
    const { resourceVersion } = scene.cluster.pod('lobby-a')!.metadata;
    const ownerReferences = [HELM, scene.owner];
    expect(scene.cluster.pod('lobby-a')).toEqual({
      ...before,
      metadata: { ...before.metadata, ownerReferences, resourceVersion },
    });
    expect(await movesOf(scene)).toEqual([]);
  });

  it('is whatever the stable revision was: a pod that is lost tells it', async () => {
    const scene = new PodScene({ replicas: 1 });
    leave(scene, aPod('r1', 'lobby-a').build());
    const context = { ...scene.context(), stableRevision: undefined, allowance: null };
    const { stableRevision } = await observe(scene.ports, scene.observeRequest({ context }), anAttempt());
    expect(stableRevision).toBe('r1');
  });

  const controlled = (pod: Pod) => {
    pod.metadata.ownerReferences = [{ ...HELM, controller: true }];
  };
  const others: [string, Pod][] = [
    ['one that somebody else controls', aPod('r2', 'lobby-x').with(controlled).build()],
    [
      'one that is being deleted',
      aPod('r2', 'lobby-x')
        .with((pod) => Object.assign(pod.metadata, { deletionTimestamp: '2026-01-01T00:00:00Z' }))
        .build(),
    ],
    [
      'one that the selector does not match',
      aPod('r2', 'lobby-x')
        .with((pod) => Object.assign(pod.metadata.labels!, { app: 'arena' }))
        .build(),
    ],
    [
      'one of a revision that nobody recorded, whose name is none that this workload gives',
      aPod('r9', 'lobby-x')
        .with((pod) => Object.assign(pod.metadata, { name: 'arena-x' }))
        .build(),
    ],
    [
      'one of another namespace',
      aPod('r2', 'lobby-x')
        .with((pod) => Object.assign(pod.metadata, { namespace: 'games' }))
        .build(),
    ],
    [
      'one with an ordinal',
      aPod('r2', 'lobby-0')
        .with((pod) => Object.assign(pod.metadata.labels!, { 'gamestatefulset.kubernetes.io/pod-ordinal': '0' }))
        .build(),
    ],
  ];
  it.each(others)('is not %s', async (_sentence, pod) => {
    for (const quorum of [false, true]) {
      const scene = new PodScene({ replicas: 1 });
      leave(scene, structuredClone(pod));
      expect((await movesOf(scene, quorum)).map((move) => move.split(' ')[0])).toEqual(['create']);
    }
  });

  it('is nothing while the annotation freezes every move', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.cluster.put('gamedeployments', {
      ...scene.workload,
      metadata: { ...scene.workload.metadata, annotations: { 'holdfast.dev/suspend': 'true' } },
    });
    leave(scene, aPod('r2', 'lobby-a').build());
    expect(await movesOf(scene)).toEqual([]);
  });
});

describe('of both kinds under one name', () => {
  it('each adopts the pods of its own revisions', async () => {
    const scene = new SetScene();
    leave(scene, aPod('r2', 'lobby-a').build());
    leave(scene, aPod('set-r2', 'lobby-1').build());
    expect(await setMovesOf(scene)).toEqual(['adopt lobby-1']);
    expect(await movesOf(scene)).toEqual(['adopt lobby-a']);
  });

  it('a set lets go of a pod, and says that it keeps the name that the next one needs', async () => {
    const scene = new SetScene();
    const owner = { ...scene.owner, kind: 'GameStatefulSet', uid: SET_UID };
    const quarantined = aPod('set-r2', 'lobby-0').with((pod) => Object.assign(pod.metadata.labels!, { app: 'other' }));
    const pod = leave(
      scene,
      quarantined.with(({ metadata }) => Object.assign(metadata, { ownerReferences: [owner] })).build(),
    );
    const request = { ...scene.observeRequest(), key: SET_KEY, uid: SET_UID, context: scene.setContext() };
    const look = (quorum: boolean) => observe(scene.ports, { ...request, quorum }, anAttempt());
    expect(told((await look(false)).moves)).toEqual(['release lobby-0']);
    scene.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
    for (const quorum of [false, true]) {
      const { moves, blockers } = await look(quorum);
      expect(moves).toEqual([]);
      expect(blockers).toContainEqual({
        reason: 'PodCreateFailed',
        message: "Ordinal 0 has no pod: a pod that is not the set's has the name lobby-0; it has to be deleted first.",
        pod: 'lobby-0',
      });
    }
    scene.cluster.remove('pods', 'lobby-0');
    expect(told((await look(false)).moves)).toEqual(['create lobby-0']);
  });

  it('a set adopts no pod whose name no set gives', async () => {
    const scene = new SetScene();
    leave(scene, aPod('set-r2', 'lobby-01').build());
    expect(await setMovesOf(scene)).toEqual(['create lobby-0']);
  });
});

describe('the adopting write', () => {
  /** Adopts a pod that was seen, after something happened to its workload; answers whether the pod was written to. */
  async function adoptAfter(happen: (scene: PodScene) => void) {
    const scene = new PodScene({ replicas: 1 });
    const pod = leave(scene, aPod('r2', 'lobby-a').build());
    scene.cluster.isHeldBack = true;
    happen(scene);
    const items: Move[] = [{ act: 'adopt', ...itemOf(pod) }];
    const summary = summaryOf(await runMoves(scene.ports, scene.moveRequest(items), anAttempt()));
    return { summary, owners: ownersOf(scene, 'lobby-a'), requests: scene.cluster.requests };
  }

  it('asks the apiserver for the workload first, once for all pods', async () => {
    const scene = new PodScene({ replicas: 2 });
    const pods = ['lobby-a', 'lobby-b'].map((name) => leave(scene, aPod('r2', name).build()));
    const items = pods.map((pod): Move => ({ act: 'adopt', ...itemOf(pod) }));
    await runMoves(scene.ports, scene.moveRequest(items), anAttempt());
    expect(scene.cluster.requests).toEqual(['get gamedeployments lobby', 'patch pods lobby-a', 'patch pods lobby-b']);
  });

  it.each<[string, (scene: PodScene) => void]>([
    ['is gone', (scene) => scene.cluster.remove('gamedeployments', KEY.name)],
    [
      'is being deleted',
      ({ cluster, workload }) =>
        cluster.put('gamedeployments', {
          ...workload,
          metadata: { ...workload.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        }),
    ],
    [
      'is another one under the name',
      ({ cluster, workload }) =>
        cluster.put('gamedeployments', { ...workload, metadata: { ...workload.metadata, uid: 'uid-other' } }),
    ],
  ])('is not sent for a workload that %s', async (_sentence, happen) => {
    const { summary, owners } = await adoptAfter(happen);
    expect(summary).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(owners).toBeUndefined();
  });

  it('is for the pod as it was seen: one that changed meanwhile is looked at again', async () => {
    const { summary, owners } = await adoptAfter(({ cluster }) => cluster.touch('lobby-a'));
    expect(summary).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(owners).toBeUndefined();
  });

  it('that was made and not answered is done', async () => {
    const { summary } = await adoptAfter(({ cluster }) =>
      cluster.fail({ verb: 'patch', plural: 'pods', commits: true, error: apiError('timeout') }),
    );
    expect(summary).toEqual({ done: 1, moved: 0, unresolved: [] });
  });
});

describe('what is let go', () => {
  const withLabel = (app: string) => (pod: Pod) => {
    pod.metadata.labels!.app = app;
  };

  it('is a pod whose label was changed: it loses its controller and our marks, and another one takes its place', async () => {
    const scene = new PodScene({
      replicas: 2,
      updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } },
    } as never);
    scene.adopt(aPod('r2', 'lobby-a').build());
    scene.adopt(
      aPod('r2', 'lobby-b')
        .annotated({ 'holdfast.dev/move': '{}', 'io.tencent.bcs.dev/game-pod-deleting': 'true' })
        .build(),
    );
    scene.cluster.touch('lobby-b', (pod) => {
      withLabel('quarantine')(pod);
      pod.metadata.ownerReferences!.push(HELM);
    });
    expect(await movesOf(scene)).toEqual(['release lobby-b']);
    await moveOnce(scene);
    expect(ownersOf(scene, 'lobby-b')).toEqual([HELM]);
    expect(scene.cluster.pod('lobby-b')?.metadata.annotations).not.toHaveProperty('holdfast.dev/move');
    expect(await movesOf(scene)).toEqual([expect.stringMatching(/^create /)]);
    await moveOnce(scene);
    expect(await movesOf(scene)).toEqual([]);
  });

  it('is adopted again when its label is back', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').with(withLabel('quarantine')).build());
    await moveOnce(scene);
    scene.cluster.touch('lobby-a', withLabel('lobby'));
    expect(await movesOf(scene)).toEqual(['adopt lobby-a']);
  });

  it('is not a pod on its way out, which keeps its name until it is gone', async () => {
    const scene = new PodScene({ replicas: 0 });
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    scene.adopt(
      aPod('r2', 'lobby-a')
        .with(withLabel('quarantine'))
        .with((pod) => Object.assign(pod.metadata, { deletionTimestamp }))
        .build(),
    );
    expect(await movesOf(scene)).toEqual([]);
  });

  it('is nothing where the selector does not match the template itself', async () => {
    const matchExpressions = [{ key: 'tier', operator: 'Exists' as const }];
    const scene = new PodScene({ replicas: 1, selector: { matchLabels: { app: 'lobby' }, matchExpressions } });
    scene.adopt(aPod('r2', 'lobby-a').build());
    expect(await movesOf(scene)).toEqual([]);
  });

  it('does not hold up what waits until its write is seen', async () => {
    const scene = new PodScene({ replicas: 1 });
    const pod = scene.adopt(aPod('r2', 'lobby-a').with(withLabel('quarantine')).build());
    const fence = { written: {}, gone: [pod.metadata.uid!] };
    const seen = await observe(scene.ports, scene.observeRequest({ quorum: true, fence }), anAttempt());
    expect(seen.fence.gone).toEqual([]);
  });
});
