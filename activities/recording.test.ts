/** A template whose revision the API refuses: the workflow waits in the activity, so the object is told of it there. */
import { beforeEach, describe, expect, it } from 'vitest';
import { revisionName } from '../core/revisions.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { Condition } from '../crds/kubernetes.ts';
import type { EventNote } from '../kubernetes/event-notes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import { templateOf } from '../test/support/pods.ts';
import { recordAndLook } from './recording.ts';

let scene: PodScene;
let notes: EventNote[];

beforeEach(() => {
  scene = new PodScene({ replicas: 2 });
  notes = [];
  const { workload } = scene;
  const conditions = [{ type: 'Available', status: 'True', reason: 'Enough', message: '', lastTransitionTime: '' }];
  const spec = { ...workload.spec, template: templateOf('game:r3') };
  scene.cluster.put('gamedeployments', { ...workload, spec, status: { replicas: 2, conditions } } as GameDeployment);
});

const record = () => {
  const ports = { ...scene.ports, recorder: { record: (note: EventNote) => void notes.push(note) } };
  return recordAndLook(ports, { key: KEY, uid: scene.owner.uid, fence: { written: {}, gone: [] } }, anAttempt());
};
const refuse = (message: string) =>
  scene.cluster.fail({ verb: 'create', plural: 'controllerrevisions', error: apiError('forbidden', message) });
const statusNow = () => scene.cluster.all<GameDeployment>('gamedeployments')[0]?.status;
const told = () => (statusNow()?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('the API refuses the revision', () => {
  it('the workload says so, with what the API says, and keeps the rest of its status', async () => {
    refuse('exceeded quota');
    await expect(record()).rejects.toThrow('exceeded quota');
    expect(told()).toEqual(['Available=True Enough', 'Ready=False RevisionRefused', 'Stalled=True RevisionRefused']);
    expect(statusNow()).toMatchObject({ replicas: 2 });
    expect(statusNow()?.conditions?.at(-1)?.message).toMatch(/refuses to record .*: exceeded quota\. .*asked again/);
    expect(notes).toMatchObject([{ type: 'Warning', reason: 'RevisionRefused' }]);
  });

  it('once for each thing that it says', async () => {
    for (const message of ['exceeded quota', 'exceeded quota', 'denied by a policy']) {
      refuse(message);
      await expect(record()).rejects.toThrow(message);
    }
    expect(notes.map(({ note }) => /: (.*?)\./.exec(note)?.[1])).toEqual(['exceeded quota', 'denied by a policy']);
  });

  it('of nothing but what was refused: an edit that came meanwhile is not called refused', async () => {
    const { client } = scene.ports;
    client.create = async () => {
      const [workload] = scene.cluster.all<GameDeployment>('gamedeployments');
      scene.cluster.put('gamedeployments', { ...workload!, metadata: { ...workload!.metadata, generation: 3 } });
      throw apiError('forbidden', 'exceeded quota');
    };
    await expect(record()).rejects.toThrow('exceeded quota');
    expect(told()).toEqual(['Available=True Enough']);
  });

  it('and a status that it does not take either hides nothing', async () => {
    refuse('exceeded quota');
    scene.cluster.fail({ verb: 'replaceStatus', error: apiError('conflict', 'changed meanwhile') });
    await expect(record()).rejects.toThrow('exceeded quota');
    expect(told()).toEqual(['Available=True Enough']);
  });
});

describe('which generation the status is of while the revision of its template is refused', () => {
  const whole = (observedGeneration: number): Condition[] => [
    { type: 'Available', status: 'True', reason: 'Enough', message: '', lastTransitionTime: '', observedGeneration },
  ];
  const put = (generation: number, status: GameDeployment['status']) => {
    const [before] = scene.cluster.all<GameDeployment>('gamedeployments');
    scene.cluster.put('gamedeployments', { ...before!, metadata: { ...before!.metadata, generation }, status });
  };
  const status = { observedGeneration: 1, currentRevision: 'r1', updateRevision: 'made-before' };
  const counts = { replicas: 2, updatedReplicas: 2, updatedReadyReplicas: 2 };
  const refusedOnce = async () => {
    refuse('exceeded quota');
    await expect(record()).rejects.toThrow('exceeded quota');
    return statusNow();
  };

  it('that of the spec, so that kstatus reads on; how many pods are updated nobody knows, all else stays', async () => {
    put(2, { ...status, ...counts, currentStepIndex: 1, conditions: whole(1) });
    const { conditions, ...refused } = (await refusedOnce()) ?? {};
    expect(refused).toEqual({ ...status, observedGeneration: 2, replicas: 2, currentStepIndex: 1 });
    expect(conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([1, 2, 2]);
  });

  it('then the template is recorded under a name of its own, not under the one that the status has', async () => {
    put(2, { ...status, conditions: whole(1) });
    await refusedOnce();
    expect(await record()).toMatchObject({ updateRevision: revisionName('lobby', templateOf('game:r3'), 0) });
  });

  it('where it was recorded once, its counts stay, and so does its name (docs/adr/0017)', async () => {
    put(2, { ...status, observedGeneration: 2, ...counts, conditions: whole(2) });
    expect(await refusedOnce()).toMatchObject(counts);
    expect(await record()).toMatchObject({ updateRevision: 'made-before' });
  });

  it('that of an existing operator stays: nothing else tells which spec its name is of', async () => {
    put(2, status);
    expect(await refusedOnce()).toMatchObject({ observedGeneration: 1 });
    expect(await record()).toMatchObject({ updateRevision: revisionName('lobby', templateOf('game:r3'), 0) });
  });

  it('the next edit is told of, too, although the API says the same', async () => {
    for (const generation of [2, 3, 3]) {
      put(generation, statusNow());
      expect(await refusedOnce()).toMatchObject({ observedGeneration: generation });
    }
    expect(notes).toHaveLength(2);
  });
});

it('an outage is none of its business', async () => {
  const error = apiError('unavailable', 'no leader');
  scene.cluster.fail({ verb: 'create', plural: 'controllerrevisions', error });
  await expect(record()).rejects.toThrow('no leader');
  expect(told()).toEqual(['Available=True Enough']);
});
