/** What a GameStatefulSet promises beside budgets: each pod in its place, one after the other where that is asked for. */
import type { Pod } from '../../crds/kubernetes.ts';
import { patchStageOf } from '../in-place.ts';
import type { InPlacePolicy } from '../in-place-patches.ts';
import { NODE_LOST_ANNOTATION } from '../keys.ts';
import { firstOrdinals, ordinalOf, ordinalPodName } from '../ordinals.ts';
import { isActive, isScheduled, isTerminating, revisionOf } from '../pods.ts';
import { claimsOf, type ModelApi } from './api.ts';
import { GRACE_MS, Judge, type SpecAt } from './judge.ts';
import { STABLE_REVISION } from './world.ts';

const SET = 'lobby';
/** After the end of its grace period a pod is left alone for as long. */
const FORCE_MARGIN_MS = 10_000;

const ordinalIn = ({ metadata }: Pod): number => ordinalOf(SET, metadata.name) ?? -1;

/** Place of the ordinal under the spec, those of the surge included; −1: it has none. */
function placeOf(spec: SpecAt, ordinal: number): number {
  return firstOrdinals(spec.replicas + spec.maxSurge, new Set(spec.places?.reserved)).indexOf(ordinal);
}

const isReplica = (spec: SpecAt, ordinal: number): boolean => {
  const place = placeOf(spec, ordinal);
  return place >= 0 && place < spec.replicas;
};

/** Extra pods of the surge are always: no more than all replicas stay old. */
const isBeyond = (spec: SpecAt, ordinal: number): boolean =>
  placeOf(spec, ordinal) >= Math.min(spec.partition, spec.replicas);

export class SetJudge extends Judge {
  readonly #issued: () => readonly { pod: string }[];
  /** When we deleted a pod, or gave new images to one that was broken or waits for its turn: others may come beside it. */
  readonly #ownMoves: number[] = [];
  #areClaimsHarmed = false;

  constructor(api: ModelApi, issued: () => readonly { pod: string }[]) {
    super(api);
    this.#issued = issued;
  }

  /** An ordinal is used again: only a create of a name that is not given out now is a residual. */
  protected override takeName(name: string): void {
    if (this.#issued().some(({ pod }) => pod === name)) this.retiredNames.delete(name);
    else this.retiredNames.add(name);
  }

  override making(pod: Pod, sentMs: number): void {
    const { name } = pod.metadata;
    if (this.retiredNames.has(name)) return;
    const recent = this.recent(sentMs);
    const ordinal = ordinalIn(pod);
    if (recent.every((spec) => placeOf(spec, ordinal) < 0)) this.accuse(`${name} has no place`);
    else if (!recent.some((spec) => this.#revisions(spec, ordinal).includes(revisionOf(pod))))
      this.accuse(`${name} is made at ${revisionOf(pod)}, which is not the revision of its place`);
    this.#makingInOrder(pod, recent, sentMs);
    const missing = claimsOf(pod).filter((claim) => !this.api.claims.has(claim));
    if (missing.length > 0 && !this.#areClaimsHarmed) this.accuse(`${name} is made without ${missing.join()}`);
  }

  override claimsHarmed(): void {
    this.#areClaimsHarmed = true;
  }

  /** Stable below the partition, and beyond it in place of new pods below; while updates are paused anywhere. */
  #revisions(spec: SpecAt, ordinal: number): string[] {
    if (spec.places?.isIncomplete && !spec.isPaused) return [STABLE_REVISION, spec.target];
    if (!isBeyond(spec, ordinal) || spec.isPaused) return [STABLE_REVISION];
    const isNewBelow = (pod: Pod) => !isBeyond(spec, ordinalIn(pod)) && revisionOf(pod) === spec.target;
    return this.active().some(isNewBelow) ? [STABLE_REVISION, spec.target] : [spec.target];
  }

  /** What we did ourselves, and others, since shortly before. */
  #excuses(sentMs: number): number {
    return this.harmedSince(sentMs) + this.#ownMoves.filter((at) => at >= sentMs - GRACE_MS).length;
  }

  /** Slots that all of these specs have, other than this one. */
  #others(recent: SpecAt[], ordinal: number, isAsked: (spec: SpecAt, ordinal: number) => boolean): (Pod | undefined)[] {
    const ordinals = firstOrdinals(recent[0]!.replicas, new Set(recent[0]!.places?.reserved));
    return ordinals
      .filter((other) => other !== ordinal && recent.every((spec) => isReplica(spec, other) && isAsked(spec, other)))
      .map((other) => this.api.pods.get(ordinalPodName(SET, other)));
  }

  /** Empty, or at the target and not in service: the others wait for it. */
  #isOpen = (recent: SpecAt[], pod: Pod | undefined): boolean => {
    if (pod === undefined || !isActive(pod)) return true;
    return recent.every(({ target }) => target === revisionOf(pod)) && !this.isAvailable(pod);
  };

  #makingInOrder(pod: Pod, recent: SpecAt[], sentMs: number): void {
    if (!recent.every(({ places }) => places?.isOrdered)) return;
    const ordinal = ordinalIn(pod);
    const below = this.#others(recent, ordinal, (_spec, other) => other < ordinal);
    const open = below.filter((other) => this.#isOpen(recent, other)).length;
    if (open > this.#excuses(sentMs))
      this.accuse(`${pod.metadata.name} is made while ${open} pods below are not in service`);
  }

  override deleting(pod: Pod, sentMs: number): void {
    if (!isActive(pod)) return;
    const recent = this.recent(sentMs);
    const ordinal = ordinalIn(pod);
    const isAskedFor = recent.some(
      (spec) => !isReplica(spec, ordinal) || (!spec.isByHand && !spec.isPaused && this.#mayBeReplaced(spec, pod)),
    );
    if (!isAskedFor && isScheduled(pod)) this.accuse(`delete of ${pod.metadata.name} was asked for by nobody`);
    if (recent.every((spec) => placeOf(spec, ordinal) < 0)) this.#deletingInOrder(pod, recent, sentMs);
    this.#ownMoves.push(this.api.nowMs);
  }

  /**
   * An old pod beyond the partition; below it one that serves nobody, of a superseded revision or of a set that never had all
   * of its pods.
   */
  #mayBeReplaced(spec: SpecAt, pod: Pod): boolean {
    const revision = revisionOf(pod);
    if (revision === spec.target) return false;
    const isOfNoUse = revision !== STABLE_REVISION || spec.places?.isIncomplete === true;
    return isBeyond(spec, ordinalIn(pod)) || (isOfNoUse && !this.isAvailable(pod));
  }

  /** A set that never had all of its pods keeps those that serve, and no number of them. */
  protected override keptOld(spec: SpecAt): number {
    return spec.places?.isIncomplete ? 0 : super.keptOld(spec);
  }

  #deletingInOrder(pod: Pod, recent: SpecAt[], sentMs: number): void {
    if (!recent.every(({ places }) => places?.isOrdered)) return;
    const isUnwanted = (other: Pod) =>
      recent.every((spec) => placeOf(spec, ordinalIn(other)) < 0) && !this.retiredNames.has(other.metadata.name);
    const others = [...this.api.pods.values()].filter((other) => other !== pod && isUnwanted(other));
    const before = others.filter(
      (other) => isTerminating(other) || (isActive(other) && ordinalIn(other) > ordinalIn(pod)),
    );
    if (before.length > this.harmedSince(sentMs))
      this.accuse(`delete of ${pod.metadata.name} before ${before.length} others`);
  }

  override spending(pod: Pod, what: string, sentMs: number): void {
    super.spending(pod, what, sentMs);
    const recent = this.recent(sentMs);
    const ordinal = ordinalIn(pod);
    // What was begun is finished, whose turn it may be: its next container.
    const isBegun = patchStageOf(pod).stage === 'next';
    const isUpdate = !isBegun && recent.every((spec) => isReplica(spec, ordinal) && spec.target !== revisionOf(pod));
    const isJudged = recent.every(({ places }) => places?.isOrdered && !places.isIncomplete);
    if (!isUpdate || !this.isAvailable(pod) || !isJudged) return;
    const beyond = this.#others(recent, ordinal, isBeyond);
    const open = beyond.filter((other) => this.#isOpen(recent, other));
    const higher = beyond.filter(
      (other) =>
        other !== undefined &&
        ordinalIn(other) > ordinal &&
        this.isAvailable(other) &&
        recent.every(({ target }) => target !== revisionOf(other)),
    );
    const count = open.length + higher.length;
    if (count > this.#excuses(sentMs))
      this.accuse(`${what} of ${pod.metadata.name} before its turn, ${count} others come first`);
  }

  override turning(pod: Pod, target: string, sentMs: number): void {
    super.turning(pod, target, sentMs);
    if (revisionOf(pod) === target) return;
    if (!this.isAvailable(pod)) this.#ownMoves.push(this.api.nowMs);
    const ordinal = ordinalIn(pod);
    const recent = this.recent(sentMs).filter((spec) => spec.target === target && placeOf(spec, ordinal) >= 0);
    const mayTurn = (spec: SpecAt) => isBeyond(spec, ordinal) || (spec.places?.isIncomplete && !this.isAvailable(pod));
    if (recent.length > 0 && !recent.some(mayTurn))
      this.accuse(`${pod.metadata.name} turns to ${target} below the partition`);
  }

  override patching(pod: Pod, next: Pod, policy: InPlacePolicy | undefined): void {
    super.patching(pod, next, policy);
    if (revisionOf(pod) === revisionOf(next)) this.#ownMoves.push(this.api.nowMs);
  }

  /** Only where the user allows it, on a node that was lost when it was sent, and well after its time. */
  override forcing(pod: Pod, sentMs: number): void {
    const isAllowed = pod.metadata.annotations?.[NODE_LOST_ANNOTATION] === 'true';
    const isDue = Date.parse(pod.metadata.deletionTimestamp ?? '') + FORCE_MARGIN_MS <= this.api.nowMs;
    const isLost = this.api.isLostSince(pod.spec.nodeName ?? '', sentMs);
    if (!isAllowed || !isDue || !isLost || !isTerminating(pod)) this.accuse(`${pod.metadata.name} is deleted by force`);
  }
}
