/**
 * The patch that each move makes on its pod: body, the mark by which it is recognised afterwards, and whether it spends.
 * Bodies come from core; nothing is sent here.
 */
import { inPlaceStageOf } from '../core/in-place.ts';
import {
  closeGatePatch,
  type InPlacePolicy,
  openGatePatch,
  patchImagesPatch,
  patchMetadataPatch,
} from '../core/in-place-patches.ts';
import { FENCE_ANNOTATION, GATE_CLOSED_REASON, READINESS_GATE, UPDATED_ANNOTATION } from '../core/keys.ts';
import { ownerReference } from '../core/new-pod.ts';
import { isControlledBy } from '../core/ownership.ts';
import { markAnnotations, UNCHOSEN, WITHOUT_MARKS } from '../core/plan/mark-annotations.ts';
import { hookOf } from '../core/plan/pod-hooks.ts';
import { markOf, owedMarkOf } from '../core/plan/pod-view.ts';
import { stillWanted } from '../core/plan/still-wanted.ts';
import type { Mark, Move, Revision } from '../core/plan/types.ts';
import { conditionOf, gateOf, revisionOf } from '../core/pods.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import type { PodPatch } from './pod-writes.ts';

/** The moves that patch a pod. */
export type PatchMove = Exclude<Move, { act: 'create' } | { act: 'delete' } | { act: 'end-hook' }>;
type MoveOf<A extends Move['act']> = Extract<Move, { act: A }>;

export interface PatchContext {
  workload: GameWorkload;
  revisions: Revision[];
  /** The order in which containers of one pod get their images. */
  policy?: InPlacePolicy;
  nowMs: () => number;
  /** A text that no fence has carried yet. */
  newSeed: () => string;
}

/** A revision that a patch needs is not recorded any more. */
export class RevisionMissing extends Error {
  override readonly name = 'RevisionMissing';
}

/** The body function throws RevisionMissing where a revision is gone. */
export function patchFor(item: PatchMove, context: PatchContext): PodPatch {
  const isStillWanted = (pod: Pod) => stillWanted(pod, item);
  switch (item.act) {
    case 'close-gate':
      return { ...closeGate(item, context), isStillWanted };
    case 'patch-images':
      return { ...patchImages(item, context), isStillWanted };
    case 'patch-metadata':
      return { ...patchMetadata(item, context), isStillWanted };
    case 'open-gate':
      return { ...openGate(context), isStillWanted };
    case 'mark':
      return { ...mark(item), isStillWanted };
    case 'unmark':
      return { ...unmark(item), isStillWanted };
    case 'fence':
      return { ...fence(context.newSeed()), isStillWanted };
    case 'adopt':
      return { ...adopt(context.workload), isStillWanted };
    case 'release':
      return { ...release(context.workload), isStillWanted };
  }
}

type Bare = Omit<PodPatch, 'isStillWanted'>;

function closeGate({ revision, spends }: MoveOf<'close-gate'>, { nowMs }: PatchContext): Bare {
  return {
    body: (pod) => closeGatePatch(pod, revision, nowMs()),
    subresource: 'status',
    isDone: (pod) => {
      const gate = conditionOf(pod, READINESS_GATE);
      return gate?.status === 'False' && gate.reason === GATE_CLOSED_REASON && gate.message === revision;
    },
    spends,
  };
}

function patchImages({ revision, spends, isHot }: MoveOf<'patch-images'>, context: PatchContext): Bare {
  const { revisions, policy, nowMs, workload } = context;
  const hookAfter = hookOf(workload, 'postinplace')?.templateName;
  return {
    body: (pod) => {
      const from = templateOf(revisions, revisionOf(pod));
      const to = { name: revision, template: templateOf(revisions, revision) };
      return patchImagesPatch(pod, { from, to, policy, isHot, hookAfter }, nowMs());
    },
    // The label is new before all images are: in the grace of the existing operators, and where containers change in order.
    isDone: (pod) => revisionOf(pod) === revision && !['grace', 'next'].includes(inPlaceStageOf(pod).stage),
    spends,
  };
}

function patchMetadata({ revision }: MoveOf<'patch-metadata'>, { revisions }: PatchContext): Bare {
  return {
    body: (pod) => {
      const to = { name: revision, template: templateOf(revisions, revision) };
      return patchMetadataPatch(pod, templateOf(revisions, revisionOf(pod)), to);
    },
    isDone: (pod) => revisionOf(pod) === revision,
    spends: false,
  };
}

function openGate({ nowMs }: PatchContext): Bare {
  return {
    body: (pod) => openGatePatch(pod, nowMs()),
    subresource: 'status',
    isDone: (pod) => gateOf(pod) === 'open',
    spends: false,
  };
}

function mark({ mark: wanted }: MoveOf<'mark'>): Bare {
  const isUpdated = wanted.kind === 'updated';
  return {
    body: (pod) => annotate(pod, markAnnotations(wanted)),
    isDone: (pod) => isSameMark(isUpdated ? owedMarkOf(pod) : markOf(pod), wanted),
    spends: false,
  };
}

function unmark({ kind }: MoveOf<'unmark'>): Bare {
  const annotations = kind === 'updated' ? { [UPDATED_ANNOTATION]: null } : UNCHOSEN;
  return {
    body: (pod) => annotate(pod, annotations),
    isDone: (pod) => Object.keys(annotations).every((key) => pod.metadata.annotations?.[key] === undefined),
    spends: false,
  };
}

/** Raises the pod's version and nothing else: the value must be new each time. */
function fence(value: string): Bare {
  return {
    body: (pod) => annotate(pod, { [FENCE_ANNOTATION]: value }),
    isDone: (pod) => pod.metadata.annotations?.[FENCE_ANNOTATION] === value,
    spends: false,
  };
}

/** The API merges owners by uid: those of others stay as they are. */
function adopt(workload: GameWorkload): Bare {
  return {
    body: ({ metadata: { uid, resourceVersion } }) => ({
      metadata: { uid, resourceVersion, ownerReferences: [ownerReference(workload)] },
    }),
    isDone: (pod) => isControlledBy(pod, workload.metadata.uid),
    spends: false,
  };
}

function release({ metadata: { uid: owner } }: GameWorkload): Bare {
  return {
    body: ({ metadata: { uid, resourceVersion } }) => ({
      metadata: {
        uid,
        resourceVersion,
        annotations: WITHOUT_MARKS,
        ownerReferences: [{ $patch: 'delete', uid: owner }],
      },
    }),
    isDone: (pod) => !isControlledBy(pod, owner),
    spends: false,
  };
}

function templateOf(revisions: Revision[], name: string): PodTemplateSpec {
  const revision = revisions.find((candidate) => candidate.name === name);
  if (revision === undefined) throw new RevisionMissing(`Revision ${name} is not recorded.`);
  return revision.template;
}

const annotate = (pod: Pod, annotations: Record<string, string | null>): object => ({
  metadata: { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion, annotations },
});

const isSameMark = (left: Mark | undefined, right: Mark): boolean =>
  left?.attempt === right.attempt && left.hookRun === right.hookRun && left.kind === right.kind;
