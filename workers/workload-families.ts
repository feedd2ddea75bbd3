/** How the existing operators name what they measure of a kind, and the label that says which object it is. */
import type { WorkloadKind } from '../activities/kinds.ts';
import type { GameStatefulSetStatus } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Labels } from './duration-series.ts';

type Gauges = Readonly<Record<string, keyof GameStatefulSetStatus>>;

const SHARED_GAUGES: Gauges = {
  replicas: 'replicas',
  ready_replicas: 'readyReplicas',
  available_replicas: 'availableReplicas',
  updated_replicas: 'updatedReplicas',
  updated_ready_replicas: 'updatedReadyReplicas',
};

/** `gauges`: fields of the status, by the end of the metric's name. */
export const FAMILIES: Readonly<Record<WorkloadKind, { prefix: string; label: string; gauges: Gauges }>> = {
  GameDeployment: { prefix: 'bkbcs_gamedeployment_', label: 'gd', gauges: SHARED_GAUGES },
  GameStatefulSet: {
    prefix: 'bkbcs_gamestatefulset_',
    label: 'name',
    gauges: { ...SHARED_GAUGES, current_replicas: 'currentReplicas' },
  },
};

export const labelNamesOf = (kind: WorkloadKind): string[] => ['namespace', FAMILIES[kind].label];

interface Named {
  kind: WorkloadKind;
  namespace?: string;
  name: string;
}

export const namedLabels = ({ kind, namespace = '', name }: Named): Labels => ({
  namespace,
  [FAMILIES[kind].label]: name,
});

export const labelsOf = ({ kind, metadata }: Pick<GameWorkload, 'kind' | 'metadata'>): Labels =>
  namedLabels({ kind, ...metadata });

/** Owner of the series of one workload, among those of its kind. */
export const keyOf = ({ metadata }: Pick<GameWorkload, 'metadata'>): string => `${metadata.namespace}/${metadata.name}`;
