import { beforeEach, describe, expect, test } from 'vitest';
import { MOVE_ANNOTATION, RESUME_ANNOTATION } from '../../core/keys.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import { aSet } from '../../test/support/sets.ts';
import { BellScene, hookRun, lobby, node, pod } from './bell-scene.ts';

const LOBBY = 'gamedeployment/default/lobby';
const SEEN = { observedGeneration: 1 } as GameStatefulSet['status'];

let scene: BellScene;
beforeEach(() => {
  scene = new BellScene();
});

describe('a workload', () => {
  const rings: Record<string, KubernetesObject> = {
    'a new generation': lobby({ generation: 2 }),
    'an annotation of ours': lobby({ annotations: { [RESUME_ANNOTATION]: 'r2/1' } }),
  };
  test.each(Object.entries(rings))('%s rings', (_, object) => {
    scene.put('gameDeployments', object);
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'modified' }]);
  });

  const silent: Record<string, KubernetesObject> = {
    'its status, which we write': lobby({ status: { replicas: 3 } }),
    "somebody else's annotation": lobby({ annotations: { 'example.com/note': 'x' } }),
  };
  test.each(Object.entries(silent))('%s does not ring', (_, object) => {
    scene.put('gameDeployments', object);
    expect(scene.bells()).toEqual([]);
  });

  test('a new one rings, and so does one that is gone', () => {
    scene.remove('gameDeployments', lobby());
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'deleted' }]);
    scene.put('gameDeployments', lobby());
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'added' }]);
  });

  test('one that moves already when listening begins has its pods held back', () => {
    scene.put('gameDeployments', lobby({ status: { moving: true } }));
    scene.put('pods', pod({ phase: 'Failed' }));
    expect(scene.bells()).toEqual([]);
    scene.put('gameDeployments', lobby({ status: { moving: false } }));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'settled' }]);
  });
});

test('a workload whose spec no status tells of yet has its pods held back', () => {
  scene.put('gameDeployments', lobby({ generation: 2 }));
  expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'modified' }]);
  scene.put('pods', pod({ phase: 'Failed' }));
  expect(scene.bells()).toEqual([]);
  scene.put('gameDeployments', lobby({ generation: 2, status: { observedGeneration: 2 } }));
  expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'settled' }]);
});

test('so has one whose template the API refuses to record: its workflow asks again, and bells would pile up', () => {
  const conditions = [{ type: 'Stalled', status: 'True', reason: 'RevisionRefused' }];
  scene.put('gameDeployments', lobby({ generation: 2, status: { observedGeneration: 2, conditions } }));
  scene.bells();
  scene.put('pods', pod({ phase: 'Failed' }));
  expect(scene.bells()).toEqual([]);
});

describe('a pod', () => {
  const rings: Record<string, Pod> = {
    'its phase': pod({ phase: 'Running' }),
    'its readiness': pod({ conditions: [{ type: 'Ready', status: 'True' }] }),
    'its revision': pod({ labels: { 'controller-revision-hash': 'r2' } }),
    'a mark of ours': pod({ annotations: { [MOVE_ANNOTATION]: '{}' } }),
    'a restarted container': pod({
      containerStatuses: [{ name: 'game', image: 'i', imageID: 'i', containerID: 'c2', ready: true, restartCount: 1 }],
    }),
  };
  test.each(Object.entries(rings))('%s rings its workload', (_, object) => {
    scene.put('pods', object);
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'pods' }]);
  });

  test('one whose readiness flips each second rings ever more rarely, although the status says moving each time', () => {
    let rings = 0;
    for (let second = 1; second <= 60; second += 1) {
      const isReady = second % 2 === 0;
      scene.put('pods', pod({ conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] }));
      const bells = scene.bells(1_000);
      rings += bells.length;
      if (bells.length > 0) scene.put('gameDeployments', lobby({ status: { moving: !isReady, replicas: 3 } }));
      else if (isReady) scene.put('gameDeployments', lobby({ status: { moving: false, replicas: 3 } }));
    }
    expect(rings).toBeLessThanOrEqual(12);
  });

  test('a condition that nobody counts by does not ring', () => {
    scene.put('pods', pod({ conditions: [{ type: 'example.com/Warm', status: 'True' }] }));
    expect(scene.bells()).toEqual([]);
  });

  test('one that is gone rings its workload, one without an owner nobody', () => {
    scene.remove('pods', pod());
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'pods' }]);
    scene.put('pods', { ...pod(), metadata: { name: 'stray', namespace: 'default' } });
    expect(scene.bells()).toEqual([]);
  });

  describe('that nobody controls', () => {
    const loose = (name: string, labels: Record<string, string>, namespace = 'default') => ({
      ...pod(),
      metadata: { name, namespace, labels },
    });
    const SET = 'gamestatefulset/default/world';
    const set = { ...aSet({ selector: { matchLabels: { app: 'world' } } }), status: SEEN };
    beforeEach(() => {
      scene.put('gameStatefulSets', { ...set, metadata: { ...set.metadata, name: 'world', uid: 'uid-world' } });
      scene.bells();
    });

    test.each([
      ['rings the workload that selects it', loose('left', { app: 'lobby' }), [LOBBY]],
      ['rings nobody else', loose('left', { app: 'arena' }), []],
      ['rings nobody of another namespace', loose('left', { app: 'lobby' }, 'games'), []],
      ['rings the set whose name it has, labels or not', loose('world-3', {}), [SET]],
    ])('%s, when it comes and when it goes', (_, object, want) => {
      scene.put('pods', object);
      expect(scene.bells().map(({ key }) => key)).toEqual(want);
      scene.remove('pods', object);
      expect(scene.bells().map(({ key }) => key)).toEqual(want);
    });
  });

  test('a label of the selector that is taken off rings its workload', () => {
    scene.put('pods', pod({ labels: { app: 'lobby' } }));
    scene.bells();
    scene.put('pods', pod({ labels: { app: 'elsewhere' } }));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'pods' }]);
  });

  test('an orphaned one rings the workload that had it', () => {
    const orphan = pod();
    scene.put('pods', { ...orphan, metadata: { ...orphan.metadata, ownerReferences: [] } });
    scene.remove('pods', orphan);
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'pods' }]);
  });
});

describe('what belongs to a workload', () => {
  const revision = (name: string, deletionTimestamp?: string) => ({
    metadata: { ...pod().metadata, name, deletionTimestamp },
  });

  test('a revision that the workload stands on rings it when it is being deleted, and when it is gone', () => {
    scene.put('gameDeployments', lobby({ status: { currentRevision: 'r1', updateRevision: 'r2' } }));
    for (const name of ['r1', 'r2', 'r3']) scene.put('controllerRevisions', revision(name));
    expect(scene.bells()).toEqual([]);
    scene.put('controllerRevisions', revision('r1', '2026-01-01T00:00:00Z'));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'revision' }]);
    scene.put('controllerRevisions', revision('r1', '2026-01-01T00:00:00Z'));
    expect(scene.bells()).toEqual([]);
    scene.remove('controllerRevisions', revision('r2'));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'revision' }]);
  });

  test('a revision of its history is cut in silence', () => {
    scene.put('gameDeployments', lobby({ status: { currentRevision: 'r1', updateRevision: 'r2' } }));
    scene.put('controllerRevisions', revision('r3'));
    scene.remove('controllerRevisions', revision('r3'));
    expect(scene.bells()).toEqual([]);
  });

  test('a new HookRun rings for itself and for its workload', () => {
    scene.put('hookRuns', hookRun());
    expect(
      scene
        .bells()
        .map(({ key }) => key)
        .sort(),
    ).toEqual([LOBBY, 'hookrun/default/run']);
  });

  test('a verdict rings the workload only', () => {
    scene.put('hookRuns', hookRun('Running'));
    scene.bells();
    scene.put('hookRuns', hookRun('Successful'));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'hook' }]);
  });

  test('a measurement that decides nothing rings nobody', () => {
    scene.put('hookRuns', hookRun('Running'));
    scene.bells();
    scene.put('hookRuns', { ...hookRun('Running'), status: { phase: 'Running', metricResults: [] } } as never);
    expect(scene.bells()).toEqual([]);
  });

  test('a person who ends a HookRun rings it', () => {
    scene.put('hookRuns', hookRun('Running'));
    scene.bells();
    scene.put('hookRuns', hookRun('Running', 2));
    expect(scene.bells()).toEqual([{ key: 'hookrun/default/run', reason: 'modified' }]);
  });

  const template = (name: string, namespace: string) => ({ metadata: { name, namespace } });
  const templates: [string, KubernetesObject, string[]][] = [
    ['the template that a workload names rings it', template('drain', 'default'), [LOBBY]],
    ['a template that it does not name is silent', template('other', 'default'), []],
    ['a template of another namespace is silent', template('drain', 'games'), []],
  ];
  test.each(templates)('%s', (_, object, want) => {
    scene.put('hookTemplates', object);
    expect(scene.bells().map(({ key }) => key)).toEqual(want);
  });

  describe('of a GameStatefulSet under the name of a GameDeployment', () => {
    const SET = 'gamestatefulset/default/lobby';
    const set = { ...aSet({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }), status: SEEN };
    const claim = (name: string, namespace = 'default') => ({ metadata: { name, namespace, uid: name } });
    beforeEach(() => {
      scene.put('gameStatefulSets', set);
      scene.bells();
    });

    test('its pod rings it, and not its namesake', () => {
      const ownerReferences = [{ ...pod().metadata.ownerReferences![0]!, kind: 'GameStatefulSet' }];
      scene.put('pods', { ...pod(), metadata: { ...pod().metadata, name: 'lobby-0', ownerReferences } });
      expect(scene.bells()).toEqual([{ key: SET, reason: 'pods' }]);
    });

    const claims: [string, KubernetesObject, string[]][] = [
      ['a claim of its pods that is gone rings it', claim('data-lobby-3'), [SET]],
      ["another workload's claim is silent", claim('data-arena-3'), []],
      ['a claim of another template is silent', claim('logs-lobby-3'), []],
      ['a claim of another namespace is silent', claim('data-lobby-3', 'games'), []],
    ];
    test.each(claims)('%s', (_, object, want) => {
      scene.put('persistentVolumeClaims', object);
      expect(scene.bells()).toEqual([]);
      scene.remove('persistentVolumeClaims', object);
      expect(scene.bells().map(({ key }) => key)).toEqual(want);
    });

    test('one that moves already has its pods held back', () => {
      scene.put('gameStatefulSets', { ...set, status: { moving: true } } as KubernetesObject);
      scene.remove('persistentVolumeClaims', claim('data-lobby-3'));
      expect(scene.bells()).toEqual([]);
    });
  });

  test('a node that is lost rings the workloads on it, its heartbeat rings nobody', () => {
    scene.put('nodes', node('True'));
    scene.bells();
    scene.put('nodes', node('True'));
    expect(scene.bells()).toEqual([]);
    scene.put('nodes', node('Unknown'));
    expect(scene.bells()).toEqual([{ key: LOBBY, reason: 'node' }]);
  });
});
