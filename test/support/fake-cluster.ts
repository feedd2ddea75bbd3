/**
 * An apiserver in memory for unit tests of activities: resourceVersions, preconditions, uids and the two patches that we
 * use, as protocol.md says a real one behaves. Writes can be made to fail before or after they are committed. The stores
 * that are fed from it can be held back.
 */
import type { Stores } from '../../activities/ports.ts';
import { controllerIndex, namespaceIndex, podIndexes } from '../../activities/ports.ts';
import { isLabelValue, validLabels } from '../../core/label-syntax.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import type { DeleteOptions, KubernetesClient, ListOptions, WriteOptions } from '../../kubernetes/client.ts';
import { ApiError, type ApiErrorReason } from '../../kubernetes/errors.ts';
import type { Patch } from '../../kubernetes/patches.ts';
import type { ObjectRef, ResourceType } from '../../kubernetes/resource-types.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import { WatchHealth } from '../../kubernetes/watch-health.ts';
import { merge } from './strategic-merge.ts';

type Verb = 'get' | 'list' | 'create' | 'patch' | 'delete' | 'replaceStatus';

export interface Fault {
  verb: Verb;
  plural?: string;
  name?: string;
  error: ApiError;
  /** The write is carried out although its caller sees the error. */
  commits?: boolean;
  /** How often; 1 when absent. */
  times?: number;
  /** Runs before the request is judged: somebody else was faster. */
  before?: () => void;
}

const STATUS: Partial<Record<ApiErrorReason, number>> = {
  notFound: 404,
  conflict: 409,
  alreadyExists: 409,
  forbidden: 403,
  invalid: 422,
  badRequest: 400,
  tooManyRequests: 429,
  unavailable: 500,
};

/** An error as the client would throw it; `network` and `timeout` have no answer. */
export function apiError(reason: ApiErrorReason, message: string = reason, sent = true): ApiError {
  return new ApiError(message, { reason, status: STATUS[reason], sent });
}

export class FakeCluster implements KubernetesClient {
  readonly stores: { [K in keyof Stores]: ObjectStore<NonNullable<ReturnType<Stores[K]['get']>>> };
  /** Every request, as `patch pods lobby-a`. */
  readonly requests: string[] = [];
  /** While true the stores hear of nothing; `catchUp` tells them all. */
  isHeldBack = false;
  /** False: pods that are created by requests stay as they are; else their containers start right after. */
  hasKubelet = true;
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #faults: Fault[] = [];
  readonly #backlog: (() => void)[] = [];
  #version = 100;
  #uids = 0;

  constructor() {
    this.stores = {
      gameDeployments: new ObjectStore({ health: steady() }),
      gameStatefulSets: new ObjectStore({ health: steady() }),
      pods: new ObjectStore<Pod>({ indexes: podIndexes, health: steady() }),
      controllerRevisions: new ObjectStore<ControllerRevision>({ indexes: controllerIndex, health: steady() }),
      hookRuns: new ObjectStore<HookRun>({ indexes: controllerIndex, health: steady() }),
      hookTemplates: new ObjectStore<HookTemplate>({ indexes: namespaceIndex, health: steady() }),
      persistentVolumeClaims: new ObjectStore({ indexes: namespaceIndex, health: steady() }),
      nodes: new ObjectStore({ health: steady() }),
    };
    for (const store of Object.values(this.stores)) {
      store.replace([], '1');
      store.health.connected();
      store.health.answered();
    }
  }

  fail(fault: Fault): void {
    this.#faults.push(fault);
  }

  catchUp(): void {
    this.isHeldBack = false;
    for (const tell of this.#backlog.splice(0)) tell();
  }

  /** Puts an object there without any request: uid and version are given where they are missing. */
  put<T extends KubernetesObject>(plural: string, object: T): T {
    const metadata = { ...object.metadata, uid: object.metadata.uid ?? `uid-${++this.#uids}` };
    return this.#keep(plural, { ...structuredClone(object), metadata }) as T;
  }

  /** Somebody else changes a pod: its version moves. */
  touch(name: string, change: (pod: Pod) => void = () => undefined): Pod {
    const pod = structuredClone(this.pod(name));
    if (pod === undefined) throw new Error(`no pod ${name}`);
    change(pod);
    return this.#keep('pods', pod);
  }

  remove(plural: string, name: string): void {
    const key = [...this.#objects.keys()].find(
      (candidate) => candidate.endsWith(`/${name}`) && candidate.startsWith(plural),
    );
    const object = key === undefined ? undefined : this.#objects.get(key);
    if (key === undefined || object === undefined) return;
    this.#objects.delete(key);
    this.#tell(plural, 'DELETED', this.#raised(object));
  }

  pod(name: string): Pod | undefined {
    return this.all<Pod>('pods').find(({ metadata }) => metadata.name === name);
  }

  all<T extends KubernetesObject>(plural: string): T[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object as T);
  }

  async get<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T> {
    return this.#attempt('get', type.plural, ref.name, () => this.#found(type.plural, ref) as T);
  }

  async latestVersion(): Promise<string> {
    return String(this.#version);
  }

  async list<T extends KubernetesObject>(type: ResourceType<T>, options: ListOptions = {}) {
    return this.#attempt('list', type.plural, '', () => {
      const { namespace, labelSelector = '' } = options;
      const wanted = labelSelector.split(/,(?![^(]*\))/).filter((part) => part !== '');
      const items = this.all<T>(type.plural).filter(
        ({ metadata }) =>
          (namespace === undefined || metadata.namespace === namespace) &&
          wanted.every((part) => matches(metadata.labels ?? {}, part)),
      );
      return { items: structuredClone(items), resourceVersion: String(this.#version) };
    });
  }

  async create<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    { dryRun = false }: WriteOptions = {},
  ): Promise<T> {
    return this.#attempt('create', type.plural, object.metadata.name, () => {
      const { labels = {} } = object.metadata;
      if (Object.keys(validLabels(labels)).length < Object.keys(labels).length)
        throw apiError('invalid', 'a bad label');
      if (dryRun) return object;
      if (this.#objects.has(keyOf(type.plural, object.metadata))) throw apiError('alreadyExists');
      const created = this.put(type.plural, object);
      if (type.plural === 'pods' && this.hasKubelet) queueMicrotask(() => this.#startPod(created));
      return created;
    });
  }

  async patch<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch): Promise<T> {
    return this.#attempt('patch', type.plural, ref.name, () => {
      if (patch.kind !== 'merge' && patch.kind !== 'strategic') throw new Error(`no ${patch.kind} patch here`);
      const known = this.#found(type.plural, ref);
      const { uid, resourceVersion } = patch.body.metadata ?? {};
      if (uid !== undefined && uid !== known.metadata.uid) throw apiError('invalid', 'uid differs');
      if (resourceVersion !== undefined && resourceVersion !== known.metadata.resourceVersion)
        throw apiError('conflict');
      const merged = merge(structuredClone(known), patch.body) as KubernetesObject;
      merged.metadata = { ...merged.metadata, resourceVersion: known.metadata.resourceVersion };
      return JSON.stringify(merged) === JSON.stringify(known) ? known : this.#keep(type.plural, merged);
    }) as Promise<T>;
  }

  async delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    return this.#attempt('delete', type.plural, ref.name, () => {
      const known = this.#found(type.plural, ref);
      const { uid, resourceVersion } = options;
      if (uid !== undefined && uid !== known.metadata.uid) throw apiError('conflict');
      if (resourceVersion !== undefined && resourceVersion !== known.metadata.resourceVersion)
        throw apiError('conflict');
      if (type.plural === 'pods') {
        const metadata = { ...known.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
        return this.#keep('pods', { ...known, metadata });
      }
      this.remove(type.plural, ref.name);
      return undefined;
    }) as Promise<T | undefined>;
  }

  async replaceStatus<T extends KubernetesObject>(type: ResourceType<T>, object: T): Promise<T> {
    return this.#attempt('replaceStatus', type.plural, object.metadata.name, () => {
      const known = this.#found(type.plural, object.metadata);
      if (object.metadata.resourceVersion !== known.metadata.resourceVersion) throw apiError('conflict');
      return this.#keep(type.plural, { ...known, status: (object as { status?: unknown }).status } as unknown as T);
    });
  }

  watch(): never {
    throw new Error('not part of this double');
  }

  async readLog(): Promise<string> {
    throw apiError('unavailable');
  }

  probe(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #startPod({ metadata: { name, uid } }: KubernetesObject): void {
    if (this.pod(name)?.metadata.uid === uid)
      this.touch(name, (pod) => Object.assign(pod, { status: { phase: 'Running' } }));
  }

  async #attempt<R>(verb: Verb, plural: string, name: string, run: () => R): Promise<R> {
    this.requests.push([verb, plural, name].filter((word) => word !== '').join(' '));
    await Promise.resolve();
    const fault = this.#takeFault(verb, plural, name);
    fault?.before?.();
    if (fault === undefined) return run();
    if (fault.commits) run();
    throw fault.error;
  }

  #takeFault(verb: Verb, plural: string, name: string): Fault | undefined {
    const fault = this.#faults.find(
      (each) =>
        each.verb === verb && (each.plural ?? plural) === plural && (each.name ?? name) === name && each.times !== 0,
    );
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    return fault;
  }

  #found(plural: string, ref: ObjectRef): KubernetesObject {
    const object = this.#objects.get(keyOf(plural, ref));
    if (object === undefined) throw apiError('notFound');
    return structuredClone(object);
  }

  #keep<T extends KubernetesObject>(plural: string, object: T): T {
    const kept = this.#raised(object);
    const type = this.#objects.has(keyOf(plural, kept.metadata)) ? 'MODIFIED' : 'ADDED';
    this.#objects.set(keyOf(plural, kept.metadata), kept);
    this.#tell(plural, type, kept);
    return structuredClone(kept);
  }

  #raised<T extends KubernetesObject>(object: T): T {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
  }

  #tell(plural: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void {
    const store = this.#storeOf(plural);
    const tell = () => store?.apply(type, structuredClone(object) as never);
    if (this.isHeldBack) this.#backlog.push(tell);
    else tell();
  }

  #storeOf(plural: string) {
    const byPlural: Record<string, keyof Stores> = {
      pods: 'pods',
      gamedeployments: 'gameDeployments',
      gamestatefulsets: 'gameStatefulSets',
      controllerrevisions: 'controllerRevisions',
      hookruns: 'hookRuns',
      hooktemplates: 'hookTemplates',
      persistentvolumeclaims: 'persistentVolumeClaims',
      nodes: 'nodes',
    };
    const name = byPlural[plural];
    return name === undefined ? undefined : this.stores[name];
  }
}

/** A watch that does not go stale by itself, however slow the test is. */
const steady = () => new WatchHealth(() => 0);

const keyOf = (plural: string, { namespace = '', name }: ObjectRef): string => `${plural}/${namespace}/${name}`;

/** @throws ApiError for a value that no label has. */
function matches(labels: Record<string, string>, part: string): boolean {
  const [, listed = '', list] = /^(\S+) in \((.*)\)$/.exec(part) ?? [];
  if (list !== undefined) return list.split(',').includes(labels[listed] ?? '');
  const [key = '', value] = part.split('=');
  if (!isLabelValue(value ?? '')) throw apiError('badRequest', 'unable to parse the selector');
  return value === undefined ? key in labels : labels[key] === value;
}
