/** How a move becomes writes on the model's API: the same compare-and-swaps that the activities send. */
import type { Pod } from '../../crds/kubernetes.ts';
import { closeGatePatch, openGatePatch, patchImagesPatch, patchMetadataPatch } from '../in-place-patches.ts';
import { FENCE_ANNOTATION, REVISION_LABEL, UPDATED_ANNOTATION } from '../keys.ts';
import { markAnnotations, UNCHOSEN } from '../plan/mark-annotations.ts';
import { spends } from '../plan/spending.ts';
import { stillWanted } from '../plan/still-wanted.ts';
import type { Move, Revision } from '../plan/types.ts';
import { withIndex } from '../pod-index.ts';
import { gateOf } from '../pods.ts';
import type { ModelApi, WriteAnswer } from './api.ts';
import type { Demand } from './demand.ts';
import type { Judge } from './judge.ts';

export interface WriteScene {
  api: ModelApi;
  judge: Judge;
  revisions: Map<string, Revision>;
  demand: Demand;
  /** When the write left its process; it may land later. */
  sentMs: number;
}

type Body = {
  metadata?: { labels?: Record<string, string | null>; annotations?: Record<string, string | null> };
  spec?: { containers?: { name: string; image: string }[] };
  status?: { conditions?: NonNullable<NonNullable<Pod['status']>['conditions']> };
};

function merged(into: Record<string, string> = {}, from: Record<string, string | null> = {}): Record<string, string> {
  const entries = Object.entries({ ...into, ...from }).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(entries);
}

/** Strategic merge, as far as our patches go. */
function applyBody(pod: Pod, body: Body): Pod {
  const images = new Map(body.spec?.containers?.map(({ name, image }) => [name, image]));
  const containers = pod.spec.containers.map((c) => (images.has(c.name) ? { ...c, image: images.get(c.name)! } : c));
  const conditions = new Map(pod.status?.conditions?.map((condition) => [condition.type, condition]));
  for (const condition of body.status?.conditions ?? []) {
    conditions.set(condition.type, { ...conditions.get(condition.type), ...condition });
  }
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generation: (pod.metadata.generation ?? 0) + (images.size > 0 ? 1 : 0),
      labels: merged(pod.metadata.labels, body.metadata?.labels),
      annotations: merged(pod.metadata.annotations, body.metadata?.annotations),
    },
    spec: { ...pod.spec, containers },
    status: { ...pod.status, conditions: [...conditions.values()] },
  };
}

const isHot = (move: Move): boolean => 'isHot' in move && move.isHot === true;
const hookAfter = ({ demand }: WriteScene) => demand.spec.postInplaceUpdateStrategy?.hook?.templateName;
const policyOf = ({ demand }: WriteScene) => demand.spec.updateStrategy?.inPlaceUpdateStrategy?.policy;

const annotated = (annotations: Record<string, string | null>): object => ({ metadata: { annotations } });

function bodyOf(pod: Pod, move: Move, scene: WriteScene): object {
  const { revisions, api } = scene;
  const from = revisions.get(pod.metadata.labels?.[REVISION_LABEL] ?? '');
  const to = 'revision' in move ? revisions.get(move.revision) : undefined;
  switch (move.act) {
    case 'close-gate':
      return closeGatePatch(pod, move.revision, api.nowMs);
    case 'patch-images':
      return patchImagesPatch(
        pod,
        { from: from!.template, to: to!, policy: policyOf(scene), isHot: isHot(move), hookAfter: hookAfter(scene) },
        api.nowMs,
      );
    case 'patch-metadata':
      return patchMetadataPatch(pod, from!.template, to!);
    case 'open-gate':
      return openGatePatch(pod, api.nowMs);
    case 'mark':
      return annotated(markAnnotations(move.mark));
    case 'unmark':
      return annotated(move.kind === 'updated' ? { [UPDATED_ANNOTATION]: null } : UNCHOSEN);
    default:
      return annotated({ [FENCE_ANNOTATION]: String(api.version) });
  }
}

/** Lands one write at the version that `seen` names. */
function land(
  scene: WriteScene,
  move: Exclude<Move, { act: 'create' }>,
  seen: { uid: string; resourceVersion: string },
): WriteAnswer {
  const { api, demand, judge, sentMs } = scene;
  const pod = api.pods.get(move.pod);
  const isCurrent = pod?.metadata.uid === seen.uid && pod.metadata.resourceVersion === seen.resourceVersion;
  if (pod === undefined || !isCurrent) return pod === undefined ? 'notFound' : 'conflict';
  demand.writing(pod, move, sentMs);
  if (move.act === 'end-hook') {
    demand.hookEnded(move);
    return 'ok';
  }
  if (move.act === 'delete') {
    if (move.force === true) judge.forcing(pod, sentMs);
    judge.spending(pod, 'delete', sentMs);
    judge.deleting(pod, sentMs);
    demand.written(pod);
    return api.delete(move.pod, seen, move.force);
  }
  if (move.act === 'close-gate' || (move.act === 'patch-images' && spends(move))) judge.spending(pod, move.act, sentMs);
  if (move.act === 'open-gate') judge.opening(pod);
  if (move.act === 'patch-images') judge.turning(pod, move.revision, sentMs);
  const next = applyBody(pod, bodyOf(pod, move, scene) as Body);
  if (move.act === 'patch-images' && !isHot(move)) judge.patching(pod, next, policyOf(scene));
  if (move.act === 'mark') demand.hookAsked(pod, move);
  demand.written(pod, next);
  return api.patch(move.pod, seen, () => next);
}

/** First write of a move. A create is followed by the opening of its gate, unless `isCutShort`. */
export function write(scene: WriteScene, move: Move, isCutShort: boolean): WriteAnswer {
  if (move.act !== 'create') return land(scene, move, move);
  const { api, judge, revisions, demand, sentMs } = scene;
  if (api.pods.has(move.pod)) return 'exists';
  const pod = withIndex(demand.newPod(move.pod, revisions.get(move.revision)!), move);
  api.makeClaims(move.claims ?? []);
  judge.creating(move.pod, move.index, sentMs);
  judge.making(pod, sentMs);
  const answer = api.create(pod);
  if (!isCutShort) openNewGate(api, move.pod);
  return answer;
}

/** What the process-wide gate opener does: a gate that is absent is opened. */
export function openNewGate(api: ModelApi, name: string): void {
  const pod = api.pods.get(name);
  if (pod !== undefined && gateOf(pod) === 'absent') api.put(name, api.openGate(pod));
}

/** The image patch after the gate was closed: it spends nothing, so it may meet a newer version (protocol §2, rule 1). */
export function patchAfterGate(scene: WriteScene, move: Extract<Move, { act: 'close-gate' }>): WriteAnswer {
  const pod = scene.api.pods.get(move.pod);
  const { uid, revision, reason } = move;
  const resourceVersion = pod?.metadata.resourceVersion ?? '';
  const next: Move = { act: 'patch-images', pod: move.pod, uid, resourceVersion, reason, revision, spends: false };
  if (pod === undefined || !stillWanted(pod, next)) return 'conflict';
  return land(scene, next, next);
}
