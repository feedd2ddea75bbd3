/**
 * The PersistentVolumeClaims that a new pod mounts, made before it. A claim that is there is never changed, whoever made it,
 * and none is ever deleted.
 */
import { newClaim } from '../core/claims.ts';
import { isGameStatefulSet } from '../core/kinds.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { persistentVolumeClaims } from '../kubernetes/resource-types.ts';
import type { MoveLedger } from './move-ledger.ts';
import { failureOf, type Outcome } from './outcome.ts';
import type { WriteTools } from './pod-writes.ts';

interface ClaimScene {
  tools: WriteTools;
  workload: GameWorkload;
  ledger: MoveLedger;
}

/** Makes what the plan found missing. Undefined where all claims are there; else how the create of their pod ends. */
export async function createClaims(names: string[], pod: string, scene: ClaimScene): Promise<Outcome | undefined> {
  const { workload } = scene;
  for (const name of names) {
    const claim = isGameStatefulSet(workload) ? newClaim(workload, pod, name) : undefined;
    // The template is gone since the plan was made: another plan knows what the pod mounts now.
    const hindrance: Outcome | undefined = claim === undefined ? { result: 'moved' } : await createClaim(claim, scene);
    if (hindrance !== undefined) return hindrance;
  }
  return undefined;
}

async function createClaim(claim: KubernetesObject, { tools, ledger }: ClaimScene): Promise<Outcome | undefined> {
  // It stays for ever: it is made on facts as fresh as its pod needs.
  if (!tools.fence.isOpen(true)) return { result: 'moved' };
  const notAfter = tools.fence.notAfter?.(true);
  try {
    ledger.saw(persistentVolumeClaims.plural, await tools.client.create(persistentVolumeClaims, claim, { notAfter }));
    return undefined;
  } catch (error) {
    if (isApiError(error, 'alreadyExists')) return undefined;
    const failure = failureOf(error);
    const isRefused = failure.kind === 'refused' || failure.kind === 'invalid';
    if (isRefused) return { result: 'refused', message: `claim ${claim.metadata.name}: ${failure.message}` };
    return failure.kind === 'open' ? await findClaim(claim, tools) : { result: 'moved' };
  }
}

/** The create was not answered. One that lands late does no harm; its pod waits for another plan. */
async function findClaim({ metadata }: KubernetesObject, { client }: WriteTools): Promise<Outcome | undefined> {
  try {
    await client.get(persistentVolumeClaims, metadata);
    return undefined;
  } catch {
    return { result: 'moved' };
  }
}
