/**
 * The one client of a cluster: plain JSON in and out, every call bounded in time, every error an ApiError. Owns how
 * calls are addressed and encoded; decides nothing about what to write.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { type CallOptions, Calls, type ThrottleListener } from './calls.ts';
import type { KubeconfigSource } from './credentials.ts';
import { jsonText } from './json-text.ts';
import { bodyOf, contentTypeOf, type Patch } from './patches.ts';
import {
  apiVersionOf,
  collectionPath,
  type ObjectRef,
  objectPath,
  pods,
  type ResourceType,
  type Subresource,
} from './resource-types.ts';
import { TokenBucket } from './token-bucket.ts';
import { type HttpRequest, Transport } from './transport.ts';
import { readEvents, type WatchEvent } from './watch-stream.ts';

interface KubernetesClientOptions extends KubeconfigSource {
  /** `holdfast/<version>`: the audit log tells our writes by it. */
  userAgent?: string;
  fieldManager?: string;
  /** How many connections carry calls; 24 when absent. */
  connections?: number;
  /** Limit of writes; none when absent. */
  writes?: { qps: number; burst: number };
  onThrottle?: ThrottleListener;
}

export interface WriteOptions extends CallOptions {
  /** Everything is checked and nothing is kept. */
  dryRun?: boolean;
}

export interface Selection {
  /** All namespaces when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {}

interface ObjectList<T> {
  items: T[];
  /** Of the list: runs ahead of every object; never a fence. */
  resourceVersion: string;
}

export interface LatestOptions {
  namespace?: string;
  signal?: AbortSignal;
}

export interface DeleteOptions extends CallOptions {
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

export interface LogOptions extends CallOptions {
  container: string;
  /** The last lines only. */
  tailLines: number;
  limitBytes: number;
}

export interface WatchOptions extends Selection {
  signal: AbortSignal;
  /** Continue after this; absent: the server chooses a start. */
  resourceVersion?: string;
  /** First all objects as ADDED, then a bookmark with `initialEnd` (watch-list). */
  sendInitialEvents?: boolean;
  /** After this many seconds the server ends the watch in peace. */
  timeoutSeconds: number;
  /** Called for each piece of the stream that arrives, before it is parsed. */
  onBytes?: () => void;
}

/** Whatever goes wrong with the cluster, every method throws ApiError and nothing else. */
export interface KubernetesClient {
  /** A quorum read. */
  get<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;
  /** A quorum read of all pages. Items come with the apiVersion and kind that the server leaves out. */
  list<T extends KubernetesObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** The version that the resource has reached now, by a quorum read over the watches' connections. @throws ApiError as all calls. */
  latestVersion<T extends KubernetesObject>(type: ResourceType<T>, options?: LatestOptions): Promise<string>;
  create<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions & { subresource?: Subresource },
  ): Promise<T>;
  /** PUT on `/status`; `metadata.resourceVersion` of the object is the precondition. */
  replaceStatus<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /**
   * The object as it was when it was deleted or began to terminate: its resourceVersion is that of the event. undefined
   * when the server answers with a bare Status, as it does for kinds without graceful deletion.
   */
  delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /** What a container wrote; its kubelet is asked, and is not always there. */
  readLog(pod: ObjectRef, options: LogOptions): Promise<string>;
  /** Ends when the server ends it; leaving the loop or aborting the signal closes it. */
  watch<T extends KubernetesObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>>;
  /** Does the server answer at all? Asked over the watches' connections. Never throws. */
  probe(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Drops every connection, also those in use. */
  close(): Promise<void>;
}

/** Under which the controller writes; other writers of ours have names of their own. */
export const FIELD_MANAGER = 'holdfast';
const PAGE_SIZE = '500';
const OPEN_WATCH_TIMEOUT_MS = 15_000;
/** A watch waits for it. */
const LATEST_WITHIN_MS = 5_000;

/** Nothing is read or connected before the first call. */
export function createKubernetesClient(options: KubernetesClientOptions = {}): KubernetesClient {
  const { userAgent = 'holdfast/dev', connections = 24, fieldManager = FIELD_MANAGER, writes } = options;
  const transport = new Transport({ ...options, userAgent, connections });
  const calls = new Calls(transport, writes && new TokenBucket(writes), options.onThrottle);
  return new HttpKubernetesClient(transport, calls, fieldManager);
}

class HttpKubernetesClient implements KubernetesClient {
  readonly #transport: Transport;
  readonly #calls: Calls;
  readonly #fieldManager: string;

  constructor(transport: Transport, calls: Calls, fieldManager: string) {
    this.#transport = transport;
    this.#calls = calls;
    this.#fieldManager = fieldManager;
  }

  get<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    return this.#send({ method: 'GET', path: objectPath(type, ref) }, options);
  }

  async list<T extends KubernetesObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const query = new URLSearchParams({ limit: PAGE_SIZE, ...selectors(options) });
    const path = collectionPath(type, options.namespace);
    const items: T[] = [];
    for (;;) {
      const page = await this.#send<ListPage<T>>({ method: 'GET', path, query }, options);
      for (const item of page.items ?? []) items.push({ apiVersion: apiVersionOf(type), kind: type.kind, ...item });
      if (!page.metadata.continue) return { items, resourceVersion: page.metadata.resourceVersion };
      query.set('continue', page.metadata.continue);
    }
  }

  async latestVersion<T extends KubernetesObject>(
    type: ResourceType<T>,
    { namespace, signal }: LatestOptions = {},
  ): Promise<string> {
    const request = {
      method: 'GET',
      path: collectionPath(type, namespace),
      query: new URLSearchParams({ limit: '1' }),
    } as const;
    const options = { signal, pool: 'watches', timeoutMs: LATEST_WITHIN_MS } as const;
    const page = await this.#send<ListPage<T>>(request, { ...options, notAfter: performance.now() + LATEST_WITHIN_MS });
    return page.metadata.resourceVersion;
  }

  create<T extends KubernetesObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = collectionPath(type, object.metadata.namespace);
    return this.#send(this.#write('POST', path, jsonText(object), options), options);
  }

  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions & { subresource?: Subresource } = {},
  ): Promise<T> {
    const path = objectPath(type, ref, options.subresource);
    const request = this.#write('PATCH', path, bodyOf(patch), options);
    if (patch.kind === 'apply') request.query?.set('force', String(patch.force));
    return this.#send({ ...request, contentType: contentTypeOf(patch) }, options);
  }

  replaceStatus<T extends KubernetesObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = objectPath(type, object.metadata, 'status');
    return this.#send(this.#write('PUT', path, JSON.stringify(object), options), options);
  }

  async delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, dryRun } = options;
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
      gracePeriodSeconds,
      propagationPolicy,
      dryRun: dryRun ? ['All'] : undefined,
    });
    const answer = await this.#send<T>({ method: 'DELETE', path: objectPath(type, ref), body }, options);
    return answer.kind === 'Status' ? undefined : answer;
  }

  readLog(pod: ObjectRef, { container, tailLines, limitBytes, ...options }: LogOptions): Promise<string> {
    const limits = { tailLines: String(tailLines), limitBytes: String(limitBytes) };
    const query = new URLSearchParams({ container, ...limits });
    return this.#calls.sendForText({ method: 'GET', path: objectPath(pods, pod, 'log'), query }, options);
  }

  watch<T extends KubernetesObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const query = watchQuery(options);
    const request: HttpRequest = { method: 'GET', path: collectionPath(type, options.namespace), query };
    const limits = { openTimeoutMs: OPEN_WATCH_TIMEOUT_MS, signal: options.signal, onBytes: options.onBytes };
    return readEvents<T>(this.#transport.stream(request, limits));
  }

  async probe(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.#transport.send({ method: 'GET', path: '/version' }, { timeoutMs, signal, pool: 'watches' });
      return true;
    } catch {
      return false;
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #write(method: 'POST' | 'PUT' | 'PATCH', path: string, body: string, options: WriteOptions): HttpRequest {
    const query = new URLSearchParams({ fieldManager: this.#fieldManager });
    if (options.dryRun) query.set('dryRun', 'All');
    return { method, path, query, body };
  }

  async #send<T>(request: HttpRequest, options: CallOptions): Promise<T> {
    return (await this.#calls.send(request, options)) as T;
  }
}

interface ListPage<T> {
  items?: T[];
  metadata: { continue?: string; resourceVersion: string };
}

function selectors(selection: Selection): Record<string, string> {
  const { labelSelector, fieldSelector } = selection;
  return { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
}

function watchQuery(options: WatchOptions): URLSearchParams {
  return new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(options.timeoutSeconds),
    ...selectors(options),
    ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
    ...(options.sendInitialEvents ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
  });
}
