/** Hand-written audit events for the checker's tests: a tiny cluster with a clock, told write by write. */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Condition, Pod } from '../../crds/kubernetes.ts';
import type { AuditEvent } from './audit-log.ts';

const OURS = 'holdfast/test';
const KWOK = 'kwok/v0.8.0';
const KUBECTL = 'kubectl/v1.37.1';
const WORKLOAD_UID = 'uid-of-lobby';
const WORKLOAD = { name: 'lobby', uid: WORKLOAD_UID };
const START_MS = Date.parse('2026-01-01T12:00:00Z');

type Spec = Partial<GameDeployment['spec']> | Partial<GameStatefulSet['spec']>;

interface HookRunWords {
  /** The label `hookrun-type`. */
  type: string;
  phase?: string;
  attempt?: number | string;
  /** Of the pod. */
  revision?: string;
}

export class AuditStory {
  readonly events: AuditEvent[] = [];
  #nowMs = START_MS;
  #revision = 1_000;
  #spec: Spec = {};
  #status: GameWorkload['status'];
  readonly #pods = new Map<string, Pod>();
  readonly #versions = new Map<string, string>();
  /** How many pods had the name so far. */
  readonly #lives = new Map<string, number>();
  readonly #kind: GameWorkload['kind'];

  constructor(kind: GameWorkload['kind'] = 'GameDeployment') {
    this.#kind = kind;
  }

  get #owner() {
    return { apiVersion: 'v1alpha1', kind: this.#kind, ...WORKLOAD, controller: true };
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Lets time go by; each write takes 10 ms by itself. */
  pass(durationMs: number): this {
    this.#nowMs += durationMs;
    return this;
  }

  /** A user writes the workload `games/lobby`. */
  writeSpec(spec: Spec): this {
    this.#spec = spec;
    return this.#writeWorkload(`${this.#kind.toLowerCase()}s`, KUBECTL);
  }

  /** The controller writes its status. */
  writeStatus(status: GameWorkload['status']): this {
    this.#status = status;
    return this.#writeWorkload(`${this.#kind.toLowerCase()}s/status`, OURS);
  }

  deleteWorkload(): this {
    return this.#write('delete', `${this.#kind.toLowerCase()}s`, 'lobby', KUBECTL, { kind: 'Status' });
  }

  /** Creates a pod with the gate open; it is not ready yet. */
  create(name: string, options: { revision?: string; by?: string } = {}): this {
    const { revision = 'r1', by = OURS } = options;
    const owner = this.#owner;
    const lives = this.#lives.get(name) ?? 0;
    this.#lives.set(name, lives + 1);
    const uid = lives === 0 ? `uid-of-${name}` : `uid-of-${name}-${lives}`;
    const pod: Pod = {
      metadata: { name, namespace: 'games', uid, ownerReferences: [owner] },
      spec: { containers: [{ name: 'game', image: 'game:1' }] },
      status: { phase: 'Pending', conditions: [conditionOf('InPlaceUpdateReady', 'True', this.#nowMs)] },
    };
    pod.metadata.labels = { 'controller-revision-hash': revision };
    return this.#writePod('create', 'pods', name, by, pod);
  }

  /** The kubelet reports the pod's containers as running and the pod as ready or not. */
  report(name: string, ready: boolean, containerID = `${name}-1`): this {
    return this.change(name, KWOK, (pod, nowMs) => {
      const image = pod.spec.containers[0]?.image ?? '';
      const running = { name: 'game', image, imageID: image, containerID, ready, restartCount: 0 };
      pod.status = { ...pod.status, phase: 'Running', containerStatuses: [running] };
      setCondition(pod, conditionOf('Ready', ready ? 'True' : 'False', nowMs));
    });
  }

  fail(name: string): this {
    return this.change(name, KWOK, (pod) => {
      pod.status = { ...pod.status, phase: 'Failed' };
    });
  }

  /** Creates pods that are ready at once. */
  createReady(names: readonly string[], revision = 'r1'): this {
    for (const name of names) this.create(name, { revision }).report(name, true);
    return this;
  }

  setGate(name: string, status: 'True' | 'False'): this {
    return this.change(name, OURS, (pod, nowMs) => setCondition(pod, conditionOf('InPlaceUpdateReady', status, nowMs)));
  }

  setImage(name: string, image: string, revision: string): this {
    return this.change(name, OURS, (pod) => {
      pod.spec.containers[0]!.image = image;
      pod.metadata.labels = { 'controller-revision-hash': revision };
    });
  }

  /** The version of the pod as it stands. */
  versionOf(name: string): string {
    return this.#versions.get(name) ?? '';
  }

  /** We close the gate for an update in place. */
  closeGate(name: string, revision: string): this {
    return this.change(name, OURS, (pod, nowMs) => {
      const gate = conditionOf('InPlaceUpdateReady', 'False', nowMs);
      setCondition(pod, { ...gate, reason: 'StartInPlaceUpdate', message: revision });
    });
  }

  /** We say which hook the pod owes after its update: that of this attempt, or none. */
  owe(name: string, attempt: string | undefined, edit: (pod: Pod) => void = () => {}): this {
    return this.change(name, OURS, (pod) => {
      const { 'holdfast.dev/updated': _, ...others } = pod.metadata.annotations ?? {};
      const mark = JSON.stringify({ kind: 'updated', attempt });
      pod.metadata.annotations = attempt === undefined ? others : { ...others, 'holdfast.dev/updated': mark };
      edit(pod);
    });
  }

  /** We give the pod its new image, and the hook that it owes from then on. */
  update(name: string, revision: string, image = 'game:2'): this {
    return this.owe(name, this.versionOf(name), (pod) => {
      pod.spec.containers[0]!.image = image;
      pod.metadata.labels = { 'controller-revision-hash': revision };
    });
  }

  mark(name: string, attempt: number): this {
    return this.change(name, OURS, (pod) => {
      pod.metadata.annotations = { 'holdfast.dev/move': JSON.stringify({ kind: 'delete', attempt }) };
    });
  }

  /** As the garbage collector patches a pod: it is answered with the metadata alone. */
  touchMetadata(name: string, by: string): this {
    const { metadata } = this.#pods.get(name)!;
    return this.#write('patch', 'pods', name, by, { kind: 'PartialObjectMetadata', metadata });
  }

  /** Any other change of a pod. */
  change(name: string, by: string, edit: (pod: Pod, nowMs: number) => void): this {
    const pod = structuredClone(this.#pods.get(name)!);
    edit(pod, this.#nowMs);
    return this.#writePod('patch', 'pods', name, by, pod);
  }

  delete(name: string, by = OURS): this {
    const pod = structuredClone(this.#pods.get(name)!);
    pod.metadata.deletionTimestamp = new Date(this.#nowMs).toISOString();
    return this.#writePod('delete', 'pods', name, by, pod);
  }

  reportNode(name: string, ready: boolean): this {
    const conditions = [conditionOf('Ready', ready ? 'True' : 'False', this.#nowMs)];
    return this.#write('patch', 'nodes/status', name, KWOK, {
      kind: 'Node',
      metadata: { name },
      status: { conditions },
    });
  }

  /** We delete it without its kubelet's word; its end stays as it was set. */
  forceDelete(name: string): this {
    this.#writePod('delete', 'pods', name, OURS, structuredClone(this.#pods.get(name)!));
    this.events.at(-1)!.requestObject = { kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    return this;
  }

  evict(name: string): this {
    return this.#write('create', 'pods/eviction', name, KUBECTL, { kind: 'Status' });
  }

  /** We ask the hook of a pod. */
  askHook(podName: string, options: HookRunWords): this {
    return this.#writeHook('create', 'hookruns', podName, { phase: 'Running', ...options });
  }

  /** It has its verdict. */
  finishHook(podName: string, options: HookRunWords): this {
    return this.#writeHook('update', 'hookruns/status', podName, options);
  }

  removeHook(podName: string, options: HookRunWords, by = OURS): this {
    return this.#writeHook('delete', 'hookruns', podName, options, by);
  }

  #writeHook(verb: string, resource: string, podName: string, words: HookRunWords, by = OURS): this {
    const { type, phase = 'Successful', attempt = 1, revision = 'r2' } = words;
    const uid = this.#pods.get(podName)?.metadata.uid ?? `uid-of-${podName}`;
    const ownerReferences = [this.#owner];
    const labels = {
      'hookrun-type': type,
      'workload-revision': revision,
      'holdfast.dev/pod-uid': uid,
      'holdfast.dev/attempt': String(attempt),
    };
    const metadata = { name: `${type}-${podName}-${attempt}`, labels, ownerReferences };
    return this.#write(verb, resource, metadata.name, by, { kind: 'HookRun', metadata, status: { phase } });
  }

  #writeWorkload(resource: string, by: string): this {
    const metadata = { ...WORKLOAD, namespace: 'games' };
    const object = { kind: this.#kind, metadata, spec: this.#spec, status: this.#status };
    return this.#write('update', resource, 'lobby', by, structuredClone(object));
  }

  #writePod(verb: string, resource: string, name: string, by: string, pod: Pod): this {
    this.#pods.set(name, pod);
    return this.#write(verb, resource, name, by, { kind: 'Pod', ...structuredClone(pod) });
  }

  #write(verb: string, target: string, name: string, by: string, object: AuditEvent['responseObject']): this {
    this.#nowMs += 10;
    const [resource, subresource] = target.split('/');
    const resourceVersion = String(++this.#revision);
    if (resource === 'pods') this.#versions.set(name, resourceVersion);
    const time = new Date(this.#nowMs).toISOString();
    this.events.push({
      auditID: `audit-${this.events.length}`,
      stage: 'ResponseComplete',
      verb,
      requestURI: `/${target}/${name}`,
      userAgent: by,
      objectRef: { resource, subresource, namespace: 'games', name },
      responseStatus: { code: 200 },
      responseObject: object?.metadata ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object,
      requestReceivedTimestamp: time,
      stageTimestamp: time,
    });
    return this;
  }
}

function conditionOf(type: string, status: 'True' | 'False', nowMs: number): Condition {
  return { type, status, lastTransitionTime: new Date(nowMs).toISOString() };
}

function setCondition(pod: Pod, condition: Condition): void {
  const others = pod.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  pod.status = { ...pod.status, conditions: [...others, condition] };
}
