/** GameStatefulSets as people write them, and the volumes that their claims are bound to. */
import type { GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import { type Changes, gameDeployment } from '../game-deployment/manifests.ts';

type SetOnly = 'updateStrategy' | 'podManagementPolicy' | 'volumeClaimTemplates' | 'reserveOrders';
type Shared = 'annotations' | 'image' | 'replicas' | 'container' | 'podAnnotations' | Hooks;
type Hooks = 'preDeleteUpdateStrategy' | 'preInplaceUpdateStrategy' | 'postInplaceUpdateStrategy';
type SetChanges = Pick<Changes, Shared> & Partial<Pick<GameStatefulSetSpec, SetOnly>>;

/** Three pods of `game:1`, one after the other, updated by recreation. */
export function gameStatefulSet(name: string, changes: SetChanges = {}): Record<string, unknown> {
  const { updateStrategy, podManagementPolicy, volumeClaimTemplates, reserveOrders, ...shared } = changes;
  const { spec, ...rest } = gameDeployment(name, { replicas: 3, ...shared });
  return {
    ...rest,
    kind: 'GameStatefulSet',
    spec: {
      ...(spec as object),
      serviceName: name,
      updateStrategy: updateStrategy ?? { type: 'RollingUpdate' },
      ...{ podManagementPolicy, volumeClaimTemplates, reserveOrders },
    },
  };
}

/** Each pod has a volume `data` of the namespace's own class. */
export const withData = (space: GameNamespace): Pick<SetChanges, 'volumeClaimTemplates' | 'container'> => ({
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: space.name,
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ],
});

/** As many volumes as claims may ask for, made by hand. */
export const volumes = (space: GameNamespace, count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${space.name}-${at}` },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: space.name,
      capacity: { storage: '1Gi' },
      hostPath: { path: `/tmp/${space.name}-${at}` },
    },
  }));
