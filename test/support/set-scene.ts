/** A GameStatefulSet beside the GameDeployment of a PodScene: same name, same labels, revisions of its own. */
import type { PlanContext } from '../../activities/types.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { ControllerRevision } from '../../crds/kubernetes.ts';
import { PodScene } from './pod-scene.ts';
import { aSet } from './sets.ts';

export const SET_KEY = { kind: 'GameStatefulSet', namespace: 'default', name: 'lobby' } as const;
export const SET_UID = 'uid-set';

/** Two pods with claims `data` and `logs` are asked for, none is there; revisions `set-r1` and `set-r2` are recorded. */
export class SetScene extends PodScene {
  constructor() {
    super({ replicas: 0 });
    const volumeClaimTemplates = ['data', 'logs'].map((name) => ({
      metadata: { name, labels: { tier: name } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }));
    const set = aSet({ replicas: 2, volumeClaimTemplates });
    this.cluster.put('gamestatefulsets', { ...set, metadata: { ...set.metadata, uid: SET_UID } });
    const owner = { ...this.owner, kind: 'GameStatefulSet', uid: SET_UID };
    for (const revision of this.cluster.all<ControllerRevision>('controllerrevisions')) {
      const metadata = { ...revision.metadata, name: `set-${revision.metadata.name}`, uid: undefined };
      this.cluster.put('controllerrevisions', { ...revision, metadata: { ...metadata, ownerReferences: [owner] } });
    }
  }

  get set(): GameStatefulSet {
    return this.cluster.all<GameStatefulSet>('gamestatefulsets')[0]!;
  }

  /** At `set-r2`, and nothing is under way. */
  setContext(): PlanContext {
    const allowance = { revision: 'set-r2', partition: 0, paused: false };
    return this.context({ stableRevision: 'set-r2', allowance });
  }
}
