import { describe, expect, it } from 'vitest';
import { PAUSED_AT_ANNOTATION } from '../core/keys.ts';
import type { PauseWrite } from '../core/workload/spec-pause.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import { apiError, type Fault } from '../test/support/fake-cluster.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import type { WritePausedResult } from './types.ts';
import { writePaused } from './write-paused.ts';

const MARK = 'r2/1/1000';

class Scene extends PodScene {
  get live(): GameDeployment {
    return this.cluster.all<GameDeployment>('gamedeployments')[0]!;
  }

  /** What the object says: paused, and for which pause. */
  get says(): [boolean | undefined, string | undefined] {
    const { metadata, spec } = this.live;
    return [spec.updateStrategy?.paused, metadata.annotations?.[PAUSED_AT_ANNOTATION]];
  }

  /** Somebody else writes; an edit of the spec is another generation. */
  edit(paused: boolean, mark?: string, generation = this.live.metadata.generation): void {
    const { metadata, spec, ...rest } = this.live;
    const annotations = mark === undefined ? undefined : { [PAUSED_AT_ANNOTATION]: mark };
    this.cluster.put('gamedeployments', {
      ...rest,
      metadata: { ...metadata, annotations, generation },
      spec: { ...spec, updateStrategy: { ...spec.updateStrategy, paused } },
    } as GameDeployment);
  }

  write(act: PauseWrite['act'], mark = MARK, uid = this.live.metadata.uid ?? ''): Promise<WritePausedResult> {
    const { generation = 0 } = this.workload.metadata;
    return writePaused(this.ports, { key: KEY, uid, generation, write: { act, mark } }, anAttempt());
  }

  get writes(): number {
    return this.cluster.requests.filter((request) => request.startsWith('patch')).length;
  }
}

const failing = (fault: Partial<Fault> & Pick<Fault, 'error'>): Scene => {
  const scene = new Scene();
  scene.cluster.fail({ verb: 'patch', plural: 'gamedeployments', ...fault });
  return scene;
};

describe('setting it', () => {
  it('writes the field and its mark at once, and says what the object is then', async () => {
    const scene = new Scene();
    const result = await scene.write('set');
    expect(scene.says).toEqual([true, MARK]);
    const { resourceVersion } = scene.live.metadata;
    expect(result).toEqual({ pausedAt: MARK, written: { gamedeployments: resourceVersion } });
  });

  it('is done once, also where the answer to the first attempt was lost', async () => {
    const scene = failing({ error: apiError('network'), commits: true });
    await expect(scene.write('set')).rejects.toThrow();
    scene.edit(false, MARK);
    expect(await scene.write('set')).toMatchObject({ pausedAt: MARK });
    expect(scene.says).toEqual([false, MARK]);
  });

  it('leaves a spec that is another one than was looked at', async () => {
    const scene = new Scene();
    scene.edit(false, undefined, 99);
    expect(await scene.write('set')).toEqual({ written: expect.anything() });
    expect(scene.says).toEqual([false, undefined]);
  });

  it('names the version that it has read: an edit of that moment is not overwritten', async () => {
    const before = () => scene.edit(false, undefined, 99);
    const scene = failing({ error: apiError('network'), commits: true, before });
    expect(await scene.write('set')).toEqual({ written: expect.anything() });
    expect([scene.says, scene.writes]).toEqual([[false, undefined], 1]);
  });

  it('leaves another object under the name', async () => {
    const scene = new Scene();
    expect(await scene.write('set', MARK, 'another')).toEqual({ written: {} });
    expect(scene.writes).toBe(0);
  });

  it('says which flag of install is missing, and does not fail', async () => {
    const { refused } = await failing({ error: apiError('forbidden', 'cannot patch resource') }).write('set');
    expect(refused).toMatch(/could not be set to true.* may patch gamedeployments.*`holdfast install --write-paused`/);
  });

  it('says what else the API has against it', async () => {
    const { refused } = await failing({ error: apiError('invalid', 'a policy says no') }).write('set');
    expect(refused).toBe('spec.updateStrategy.paused could not be set to true: a policy says no.');
  });

  it('is tried again by Temporal where the API does not answer', async () => {
    await expect(failing({ error: apiError('unavailable') }).write('set')).rejects.toThrow('unavailable');
  });
});

describe('taking it back', () => {
  it('takes the mark with it', async () => {
    const scene = new Scene();
    scene.edit(true, MARK);
    expect(await scene.write('take-back')).toEqual({ written: expect.anything() });
    expect(scene.says).toEqual([false, undefined]);
  });

  it.each<[string, boolean, string | undefined]>([
    ['the user’s own', true, undefined],
    ['that of another pause', true, 'r2/3/9000'],
  ])('leaves %s', async (_sentence, paused, mark) => {
    const scene = new Scene();
    scene.edit(paused, mark);
    await scene.write('take-back');
    expect([scene.says, scene.writes]).toEqual([[paused, mark], 0]);
  });

  it('leaves a spec that is another one than was looked at: the user may have lifted it and paused himself', async () => {
    for (const paused of [true, false]) {
      const scene = new Scene();
      scene.edit(paused, MARK, 99);
      expect(await scene.write('take-back')).toMatchObject({ pausedAt: MARK });
      expect([scene.says, scene.writes]).toEqual([[paused, MARK], 0]);
    }
  });

  const owning = (manager: string, field = 'paused', more = {}) => ({
    ...{ manager, operation: 'Update', fieldsType: 'FieldsV1', ...more },
    fieldsV1: { 'f:spec': { 'f:updateStrategy': { '.': {}, [`f:${field}`]: {} } } },
  });
  it.each<[string, object[], boolean]>([
    ['has set it since: it is his, and only the mark goes', [owning('kubectl-patch')], true],
    ['applies the same, which we have set', [owning('argocd-controller'), owning('holdfast')], false],
    ['has set another field', [owning('kubectl-patch', 'type'), owning('holdfast')], false],
    ['is not known, since nobody keeps a record', [], false],
  ])('somebody else %s', async (_sentence, managedFields, stays) => {
    const scene = new Scene();
    scene.edit(true, MARK);
    const { metadata } = scene.live;
    scene.cluster.put('gamedeployments', { ...scene.live, metadata: { ...metadata, managedFields } } as GameDeployment);
    expect(await scene.write('take-back')).toEqual({ written: expect.anything() });
    expect(scene.says).toEqual([stays, undefined]);
  });

  it('forgetting takes only the mark, whatever was edited since', async () => {
    const scene = new Scene();
    scene.edit(false, MARK, 99);
    await scene.write('forget');
    expect(scene.says).toEqual([false, undefined]);
  });

  it('forgetting leaves a true beside the mark', async () => {
    const scene = new Scene();
    scene.edit(true, MARK);
    await scene.write('forget');
    expect(scene.says).toEqual([true, undefined]);
  });
});
