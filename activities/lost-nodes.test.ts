import { describe, expect, it } from 'vitest';
import { NODE_LOST_ANNOTATION } from '../core/keys.ts';
import type { Move } from '../core/plan/types.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, summaryOf } from '../test/support/pod-scene.ts';
import { iso, NOW } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { aSetPod } from '../test/support/sets.ts';
import { runMoves } from './moves.ts';
import { readFacts } from './observation.ts';

const ANYTHING = { written: {}, gone: [] };

/** A set whose pod lobby-0 should be gone since a minute, on a node that the stores show as not Ready. */
class LostScene extends SetScene {
  readonly pod = this.adopt(
    aSetPod(0, 'set-r2')
      .node('node-2')
      .annotated({ [NODE_LOST_ANNOTATION]: 'true' })
      .with(({ metadata }) => Object.assign(metadata, { deletionTimestamp: iso(NOW - 60_000) }))
      .build(),
  );

  constructor() {
    super();
    this.setNode('False');
  }

  override adopt(pod: Parameters<SetScene['adopt']>[0]) {
    const ownerReferences = [{ ...this.owner, kind: 'GameStatefulSet', uid: SET_UID }];
    return this.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences } });
  }

  setNode(status: 'True' | 'False'): void {
    const node = { metadata: { name: 'node-2' }, status: { conditions: [{ type: 'Ready', status }] } };
    this.cluster.put('nodes', node as never);
  }

  async force(ageMs = 0) {
    const item: Move = { act: 'delete', ...itemOf(this.pod), spends: false, force: true };
    const where = { key: SET_KEY, uid: SET_UID, context: this.setContext(), asOfMs: this.nowMs - ageMs };
    const result = await runMoves(this.ports, this.moveRequest([item], where), anAttempt());
    return { ...summaryOf(result), sent: this.cluster.requests.filter((request) => request.startsWith('delete')) };
  }
}

const SENT = { done: 1, moved: 0, unresolved: [], sent: ['delete pods lobby-0'] };
const LEFT = { done: 0, moved: 1, unresolved: [], sent: [] };

describe('a delete by force', () => {
  it.each<[string, (scene: LostScene) => void, typeof SENT | typeof LEFT]>([
    ['goes out where the apiserver says that the node is not Ready', () => undefined, SENT],
    ['goes out where there is no such node', ({ cluster }) => cluster.remove('nodes', 'node-2'), SENT],
    [
      'is left where the node is back and the store has not heard of it',
      (scene) => {
        scene.cluster.isHeldBack = true;
        scene.setNode('True');
      },
      LEFT,
    ],
    [
      'is left where the node cannot be read',
      ({ cluster }) => cluster.fail({ verb: 'get', plural: 'nodes', error: apiError('timeout') }),
      LEFT,
    ],
    ['is left while the pod watch is not fresh', (scene) => scene.losePodWatch(), LEFT],
  ])('%s', async (_sentence, happen, want) => {
    const scene = new LostScene();
    happen(scene);
    expect(await scene.force()).toEqual(want);
  });

  it('is planned again where its plan has grown old', async () => {
    expect(await new LostScene().force(4_600)).toEqual(SENT);
  });

  it('is not sent on a plan that has grown old where the new one does not want it', async () => {
    const scene = new LostScene();
    scene.setNode('True');
    scene.cluster.requests.length = 0;
    expect(await scene.force(4_600)).toEqual(LEFT);
    expect(scene.cluster.requests).toEqual([]);
  });
});

describe('facts of a plan', () => {
  it('say whether anybody has heard of the nodes lately', async () => {
    const scene = new LostScene();
    const request = { key: SET_KEY, uid: SET_UID, context: scene.setContext(), fence: ANYTHING, quorum: false };
    const seen = async () => {
      const sighting = await readFacts(scene.ports, request, anAttempt().signal);
      return sighting.state === 'live' && sighting.facts.input.areNodesStale;
    };
    expect(await seen()).toBeUndefined();
    scene.cluster.stores.nodes.health.disconnected();
    expect(await seen()).toBe(true);
  });
});
