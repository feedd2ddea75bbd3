/** Which objects look as if a bell had been lost: what the resync rings (design §3). Reads the stores only. */
import { factsInStores } from '../../activities/observation.ts';
import type { Ports } from '../../activities/ports.ts';
import { isTerminal } from '../../core/hooks/phases.ts';
import { planGameDeployment } from '../../core/plan/game-deployment.ts';
import { GAME_DEPLOYMENT, GAME_STATEFUL_SET } from '../../crds/api.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { Watched } from '../stores.ts';
import { hookRunKey, workloadKey } from './bell-keys.ts';

/** Keys of everything there is and not over: for a process that has just taken over. */
export function everything({ gameDeployments, gameStatefulSets, hookRuns }: Watched): string[] {
  return [
    ...gameDeployments.list().map(({ metadata }) => workloadKey(GAME_DEPLOYMENT.kind, metadata)),
    ...gameStatefulSets.list().map(({ metadata }) => workloadKey(GAME_STATEFUL_SET.kind, metadata)),
    ...openHookRuns({ hookRuns }),
  ];
}

/** Keys of what looks stale. `ports.stores` are those of `stores`. */
export function whatIsStale(ports: Ports, stores: Watched): string[] {
  const workloads = stores.gameDeployments.list().filter((workload) => isStale(ports, workload));
  const refused = stores.gameStatefulSets.list().filter((object) => isUnseen(object));
  return [
    ...workloads.map(({ metadata }) => workloadKey(GAME_DEPLOYMENT.kind, metadata)),
    ...refused.map(({ metadata }) => workloadKey(GAME_STATEFUL_SET.kind, metadata)),
    ...openHookRuns(stores),
  ];
}

const openHookRuns = ({ hookRuns }: Pick<Watched, 'hookRuns'>): string[] =>
  hookRuns
    .list()
    .filter(({ status }) => !isTerminal(status?.phase))
    .map(({ metadata }) => hookRunKey(metadata));

/** Behind its spec, said to be moving, in an open rollout, or with something that should be moved. */
function isStale(ports: Ports, workload: GameDeployment): boolean {
  const { status } = workload;
  if (isUnseen(workload) || status?.moving === true || status?.updateRevision !== status?.currentRevision) return true;
  return hasMoves(ports, workload);
}

const isUnseen = ({ metadata, status }: Pick<GameDeployment, 'metadata' | 'status'>): boolean =>
  (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);

/** Without an allowance nothing moves to another revision: what remains is scaling and healing. */
function hasMoves(ports: Ports, workload: GameDeployment): boolean {
  const { namespace = '', name, uid } = workload.metadata;
  const facts = factsInStores(ports, {
    key: { kind: workload.kind, namespace, name },
    uid,
    context: { allowance: null, unresolved: [], issued: [], backOff: { count: 0, untilMs: 0 }, gates: {} },
    fence: { written: {}, gone: [] },
  });
  if (facts === undefined) return true;
  const { moves, counts } = planGameDeployment(facts.input);
  // Pods of another revision where no rollout is open: the run that took them back was lost.
  const isStray = (revision: string) => revision !== workload.status?.currentRevision;
  return moves.length > 0 || Object.keys(counts.perRevision).some(isStray);
}
