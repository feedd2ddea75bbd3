/** Judges every write of ours at the moment it lands, as protocol §6 promises. */
import type { Container, Pod } from '../../crds/kubernetes.ts';
import type { InPlacePolicy } from '../in-place-patches.ts';
import { READINESS_GATE } from '../keys.ts';
import { indexOf } from '../pod-index.ts';
import { conditionOf, isActive, isAvailable, revisionOf } from '../pods.ts';
import type { ModelApi } from './api.ts';
import { Peak } from './peak.ts';
import { BY_NAME } from './world.ts';

/** What others did, and edits of the spec, count from then on. */
export const GRACE_MS = 5_000;

export interface SpecAt {
  sinceMs: number;
  replicas: number;
  maxUnavailable: number;
  maxSurge: number;
  /** Most pods that the first creation makes at a time; absent once it is over. */
  createBatch?: number;
  /** Names of pods that the user wants gone. */
  listed: readonly string[];
  /** Pods are updated by those who delete them. */
  isByHand: boolean;
  /** Smallest partition that was allowed. */
  partition: number;
  target: string;
  isPaused: boolean;
  /** Of a GameStatefulSet. */
  places?: { isOrdered: boolean; reserved: readonly number[]; isIncomplete?: boolean };
}

/** Runs on until its kubelet sees that it has another image now. */
const isDoomed = (pod: Pod): boolean => pod.status?.containerStatuses !== undefined && !isUpToDate(pod);

const isUpToDate = (pod: Pod): boolean => pod.spec.containers.every((container) => isUp(pod, container, false));

function isUp({ status }: Pod, { name, image }: Container, mustBeReady: boolean): boolean {
  const seen = status?.containerStatuses?.find((container) => container.name === name);
  return seen?.image === image && (seen?.ready === true || !mustBeReady);
}

export class Judge {
  readonly violations: string[] = [];
  protected readonly api: ModelApi;
  readonly #specs: SpecAt[] = [];
  /** Harm done by others: pod uid → when. */
  readonly #harmed = new Map<string, number>();
  /** Names that were given back unanswered; a create in flight may still bring one of them (protocol §2, rule 9). */
  protected readonly retiredNames = new Set<string>();
  /** Every name that a create of ours has landed. */
  readonly #names = new Set<string>();

  readonly #peak: Peak;

  constructor(api: ModelApi) {
    this.api = api;
    this.#peak = new Peak(api);
  }

  specChanged(spec: SpecAt): void {
    this.#specs.push(spec);
  }

  harmed(uid: string): void {
    this.#harmed.set(uid, this.api.nowMs);
  }

  retired(names: readonly string[]): void {
    for (const name of names) this.retiredNames.add(name);
  }

  /** The values that held at some moment since `sinceMs` − 5 s. */
  protected recent(sinceMs: number): SpecAt[] {
    const from = sinceMs - GRACE_MS;
    return this.#specs.filter(
      (spec, index) => (this.#specs[index + 1]?.sinceMs ?? Number.POSITIVE_INFINITY) >= from || spec.sinceMs >= from,
    );
  }

  protected active(): Pod[] {
    return [...this.api.pods.values()].filter(isActive);
  }

  protected isAvailable(pod: Pod): boolean {
    return isAvailable(pod, 0, this.api.nowMs) && !isDoomed(pod);
  }

  #available(sinceMs: number): number {
    const available = this.active().filter((pod) => this.isAvailable(pod)).length;
    return available + this.harmedSince(sinceMs);
  }

  /** How many pods others harmed since 5 s before. */
  protected harmedSince(sinceMs: number): number {
    return [...this.#harmed.values()].filter((at) => at >= sinceMs - GRACE_MS).length;
  }

  /** A write that can lower availability is about to land; `sentMs` is when it was sent. */
  spending(pod: Pod, what: string, sentMs: number): void {
    if (!this.isAvailable(pod)) return;
    const left = this.#available(sentMs) - 1;
    const floor = Math.min(...this.recent(sentMs).map(({ replicas, maxUnavailable }) => replicas - maxUnavailable));
    if (left < floor) this.accuse(`${what} of ${pod.metadata.name} leaves ${left} available, promised are ${floor}`);
  }

  /** A pod is about to be deleted: where nobody asked for updates, only a pod too many may go, or one without an index of its own. */
  deleting(pod: Pod, sentMs: number): void {
    const recent = this.recent(sentMs);
    const isListed = recent.some(({ listed }) => listed.includes(pod.metadata.name));
    if (isListed || !isActive(pod) || !recent.every(({ isByHand }) => isByHand) || this.#sharesIndex(pod)) return;
    const fewest = Math.min(...recent.map(({ replicas }) => replicas));
    if (this.active().length + this.harmedSince(sentMs) <= fewest)
      this.accuse(`delete of ${pod.metadata.name} was asked for by nobody`);
  }

  /** A duplicate of a create whose pod has come and gone is the same residual. */
  protected takeName(name: string): void {
    if (this.#names.has(name)) this.retiredNames.add(name);
    this.#names.add(name);
  }

  /** What only some kinds promise of a pod that is about to be made. */
  making(_pod: Pod, _sentMs: number): void {}

  /** Somebody deletes claims: from then on a pod may be made while its claim goes. */
  claimsHarmed(): void {}

  /** A running pod is taken out of service before its hook has said yes to that (protocol §2, rule 1; decision 36). */
  passedOver({ metadata }: Pod, what: string): void {
    this.accuse(`${what} of ${metadata.name} passes its hook over`);
  }

  /** A hook after an update failed, and nobody has dealt with that (decision 37). */
  held(what: string, hookRun: string): void {
    this.accuse(`${what} passes over ${hookRun}, which failed after an update`);
  }

  /** A pod is about to be deleted without the word of its kubelet. */
  forcing(pod: Pod, _sentMs: number): void {
    this.accuse(`${pod.metadata.name} is deleted by force`);
  }

  creating(name: string, index: number | undefined, sentMs: number): void {
    this.takeName(name);
    if (this.retiredNames.has(name)) return;
    this.#numbering(name, index);
    const active = this.active().filter(({ metadata }) => !this.retiredNames.has(metadata.name)).length + 1;
    const ceiling = Math.max(...this.recent(sentMs).map(({ replicas, maxSurge }) => replicas + maxSurge));
    if (active > ceiling) this.accuse(`create of ${name} makes ${active} active pods, at most ${ceiling} are promised`);
    this.#creatingInBatches(name, active, sentMs);
  }

  #sharesIndex(pod: Pod): boolean {
    const index = indexOf(pod);
    return index !== undefined && this.active().filter((other) => indexOf(other) === index).length > 1;
  }

  /** No two pods have one index, also where one of them is on its way out. */
  #numbering(name: string, index: number | undefined): void {
    const others = [...this.api.pods.values()].filter(({ metadata }) => !this.retiredNames.has(metadata.name));
    const other = others.find((pod) => index !== undefined && indexOf(pod) === index);
    if (other !== undefined) this.accuse(`${name} gets index ${index}, which ${other.metadata.name} has`);
  }

  /** Batches but the last were available at some time; none is made in the last that has its pods. */
  #creatingInBatches(name: string, active: number, sentMs: number): void {
    const sizes = this.recent(sentMs).map(({ createBatch = Number.POSITIVE_INFINITY }) => createBatch);
    const size = Math.max(...sizes);
    if (size === Number.POSITIVE_INFINITY) return;
    const limit = size * (Math.floor(this.#peak.available() / size) + 1);
    if (active > limit) this.accuse(`create of ${name} makes ${active} active pods in batches of ${size}`);
  }

  /** A write that turns an old pod into one of `target`. */
  turning(pod: Pod, target: string, sentMs: number): void {
    if (revisionOf(pod) === target) return;
    const recent = this.recent(sentMs).filter((spec) => spec.target === target);
    if (recent.length > 0 && recent.every(({ isByHand }) => isByHand))
      this.accuse(`${pod.metadata.name} turns to ${target} by our hand`);
    if (recent.length === 0) {
      this.accuse(`${pod.metadata.name} turns to ${target}, which nobody asked for`);
      return;
    }
    const old = this.active().filter((candidate) => revisionOf(candidate) !== target).length - 1;
    const keep = Math.min(...recent.map((spec) => Math.min(this.keptOld(spec), spec.replicas)));
    if (old + this.harmedSince(sentMs) < keep)
      this.accuse(`${pod.metadata.name} turns to ${target}: ${old} old pods are left of ${keep}`);
  }

  /** How many pods stay old, whichever they are. */
  protected keptOld({ partition }: SpecAt): number {
    return partition;
  }

  /** The gate of an updated pod is about to open: its containers must run the images of its revision. */
  opening(pod: Pod): void {
    const template = BY_NAME.get(revisionOf(pod))!.template;
    if (conditionOf(pod, READINESS_GATE)?.status !== 'False') return;
    for (const { name, image: wanted } of template.spec.containers) {
      const { image } = pod.status?.containerStatuses?.find((status) => status.name === name) ?? {};
      if (image !== undefined && image !== wanted)
        this.accuse(`${pod.metadata.name} is opened with ${image}, wanted is ${wanted}`);
    }
  }

  /** Images are about to be written. In order: one at a time, the next when the one before runs, and is ready where asked. */
  patching(pod: Pod, next: Pod, policy: InPlacePolicy | undefined): void {
    if (policy === undefined || policy === 'DisOrdered') return;
    const images = new Map(pod.spec.containers.map(({ name, image }) => [name, image]));
    const changed = next.spec.containers.filter(({ name, image }) => images.get(name) !== image);
    if (changed.length > 1) this.accuse(`${pod.metadata.name} is given ${changed.length} images at once`);
    if (changed.length === 0 || revisionOf(pod) !== revisionOf(next)) return;
    const others = pod.spec.containers.filter(({ name }) => changed.every((container) => container.name !== name));
    if (!others.every((container) => isUp(pod, container, policy === 'OrderedReady')))
      this.accuse(`${pod.metadata.name} is given ${changed[0]?.image} before its turn`);
  }

  protected accuse(sentence: string): void {
    this.violations.push(`t+${(this.api.nowMs - this.#specs[0]!.sinceMs) / 1000}s: ${sentence}`);
  }
}
