/** Pods that become the workload's, and pods that cease to be: neither restarts, neither spends. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Move, PlanInput } from './types.ts';

const moveOf = (act: 'adopt' | 'release', { metadata }: Pod, reason: string): Move => {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return { act, pod: name, uid, resourceVersion, reason };
};

export const planAdoptions = ({ orphans = [] }: PlanInput<GameWorkload>): Move[] =>
  orphans.map((pod) => moveOf('adopt', pod, 'nobody controls it, and the selector matches it'));

export const planReleases = ({ strays = [] }: PlanInput<GameWorkload>): Move[] =>
  strays.map((pod) => moveOf('release', pod, 'the selector does not match it any more'));
