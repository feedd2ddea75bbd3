/** The model's API server: resourceVersions, compare-and-swap, deletion, and a history that stores follow with a lag. */
import type { Condition, Pod } from '../../crds/kubernetes.ts';
import { READINESS_GATE } from '../keys.ts';
import { isScheduled } from '../pods.ts';

/** Epoch milliseconds at which every walk begins. */
export const EPOCH_MS = 1_767_225_600_000;

export type WriteAnswer = 'ok' | 'conflict' | 'notFound' | 'exists' | 'refused';

export interface Change {
  version: number;
  atMs: number;
  name: string;
  /** Undefined: the pod is gone. */
  pod: Pod | undefined;
}

const stamp = (ms: number): string => new Date(ms).toISOString();

export const withCondition = (pod: Pod, condition: Condition): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    conditions: [...(pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type), condition],
  },
});

export const conditionAt = (
  type: string,
  status: 'True' | 'False',
  ms: number,
  more: Partial<Condition> = {},
): Condition => ({
  type,
  status,
  lastTransitionTime: stamp(ms),
  ...more,
});

/** Names of the claims that the pod mounts. */
export function claimsOf({ spec }: Pod): string[] {
  const volumes = (spec.volumes ?? []) as { persistentVolumeClaim?: { claimName: string } }[];
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

export class ModelApi {
  readonly pods = new Map<string, Pod>();
  readonly claims = new Map<string, { isTerminating: boolean }>();
  readonly history: Change[] = [];
  /** Nobody hears of their kubelets. */
  readonly lostNodes = new Set<string>();
  /** When nodes that were lost came back. */
  readonly #foundAtMs = new Map<string, number>();
  /** False: a quota is used up, every new pod is refused. */
  admitsPods = true;
  nowMs = EPOCH_MS;
  #version = 1;

  get version(): number {
    return this.#version;
  }

  /** Every change of a pod goes through here. */
  put(name: string, pod: Pod | undefined): void {
    this.#version += 1;
    const version = String(this.#version);
    const stored = pod && { ...pod, metadata: { ...pod.metadata, resourceVersion: version } };
    if (stored === undefined) this.pods.delete(name);
    else this.pods.set(name, stored);
    this.history.push({ version: this.#version, atMs: this.nowMs, name, pod: stored });
  }

  create(pod: Pod): WriteAnswer {
    if (this.pods.has(pod.metadata.name)) return 'exists';
    if (!this.admitsPods) return 'refused';
    const uid = `${pod.metadata.name}/${this.#version}`;
    const creationTimestamp = stamp(this.nowMs);
    this.put(pod.metadata.name, { ...pod, metadata: { ...pod.metadata, uid, creationTimestamp, generation: 1 } });
    return 'ok';
  }

  /** `change` sees the pod only if uid and resourceVersion are those that the writer saw. */
  patch(name: string, seen: { uid: string; resourceVersion: string }, change: (pod: Pod) => Pod): WriteAnswer {
    const pod = this.pods.get(name);
    if (pod === undefined) return 'notFound';
    if (pod.metadata.uid !== seen.uid || pod.metadata.resourceVersion !== seen.resourceVersion) return 'conflict';
    this.put(name, change(pod));
    return 'ok';
  }

  /** One that is there stays as it is. */
  makeClaims(names: readonly string[]): void {
    for (const name of names) if (!this.claims.has(name)) this.claims.set(name, { isTerminating: false });
  }

  /** Claims that are deleted go when no pod that was scheduled mounts them. */
  dropClaims(): void {
    if (this.claims.size === 0) return;
    const used = new Set([...this.pods.values()].filter(isScheduled).flatMap(claimsOf));
    for (const [name, { isTerminating }] of this.claims) if (isTerminating && !used.has(name)) this.claims.delete(name);
  }

  /** It comes back; false where it was not lost. */
  findNode(name: string): boolean {
    const wasLost = this.lostNodes.delete(name);
    if (wasLost) this.#foundAtMs.set(name, this.nowMs);
    return wasLost;
  }

  /** Lost now, or not back before `sinceMs`. */
  isLostSince(name: string, sinceMs: number): boolean {
    return this.lostNodes.has(name) || (this.#foundAtMs.get(name) ?? 0) > sinceMs;
  }

  hasClaims = (pod: Pod): boolean => claimsOf(pod).every((name) => this.claims.get(name)?.isTerminating === false);

  /** Marks the pod as terminating; the kubelet takes it away later. One that never ran is gone at once, and one by `force`. */
  delete(name: string, seen: { uid: string; resourceVersion: string }, force = false): WriteAnswer {
    const pod = this.pods.get(name);
    if (pod === undefined) return 'notFound';
    if (pod.metadata.uid !== seen.uid || pod.metadata.resourceVersion !== seen.resourceVersion) return 'conflict';
    if (pod.metadata.deletionTimestamp !== undefined && !force) return 'ok';
    if (pod.status?.phase === 'Running' && !force) {
      this.put(name, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: stamp(this.nowMs) } });
    } else {
      this.put(name, undefined);
    }
    return 'ok';
  }

  openGate(pod: Pod): Pod {
    return withCondition(pod, conditionAt(READINESS_GATE, 'True', this.nowMs));
  }
}
