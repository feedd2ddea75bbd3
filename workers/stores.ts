/** The process-wide stores and what keeps them current: one watch per resource, for every activity and the doorbell. */

import { controllerIndex, namespaceIndex, podIndexes, type Stores } from '../activities/ports.ts';
import { REVISION_LABEL } from '../core/keys.ts';
import { controllerOf } from '../core/ownership.ts';
import { API_GROUP } from '../crds/api.ts';
import type { ControllerRevision, KubernetesObject } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import type { ApiError } from '../kubernetes/errors.ts';
import { type Reflector, startReflector } from '../kubernetes/reflector.ts';
import {
  controllerRevisions,
  gameDeployments,
  gameStatefulSets,
  hookRuns,
  hookTemplates,
  nodes,
  persistentVolumeClaims,
  pods,
  type ResourceType,
} from '../kubernetes/resource-types.ts';
import { ServerPulse } from '../kubernetes/server-pulse.ts';
import { ObjectStore, type StoreOptions } from '../kubernetes/store.ts';
import type { StoreReader } from '../kubernetes/store-reader.ts';

export interface Watching {
  stores: Stores;
  /** Resolves when every store has been filled once. @throws the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export interface WatchingOptions {
  client: KubernetesClient;
  /** Told of every failure of a watch, by the resource's plural; it is tried again by itself. */
  onProblem: (resource: string, problem: ApiError) => void;
  /** Told of listeners that throw. */
  onError: (error: unknown) => void;
}

/** Nobody waits longer than this between two looks at whether the stores are filled. */
const SYNC_LOOK_MS = 1_000;

export function startWatching(options: WatchingOptions): Watching {
  const pulse = new ServerPulse(options.client, options.onError);
  const reflectors: Reflector[] = [];
  const follow = <T extends KubernetesObject>(type: ResourceType<T>, more: FollowOptions<T> = {}): ObjectStore<T> => {
    const store = new ObjectStore<T>({ indexes: more.indexes, trim: more.trim, onError: options.onError });
    const onProblem = (problem: ApiError) => options.onProblem(type.plural, problem);
    const { labelSelector } = more;
    reflectors.push(startReflector({ client: options.client, type, store, pulse, labelSelector, onProblem }));
    return store;
  };
  const stores = followAll(follow);
  return {
    stores,
    whenSynced: (signal) => whenSynced(Object.values(stores), signal),
    async stop() {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
  };
}

interface FollowOptions<T extends KubernetesObject> {
  indexes?: StoreOptions<T>['indexes'];
  trim?: (object: T) => T;
  labelSelector?: string;
}

type Follow = <T extends KubernetesObject>(type: ResourceType<T>, more?: FollowOptions<T>) => ObjectStore<T>;

/** Pods without a revision label are nobody's we could move. */
function followAll(follow: Follow): Stores {
  return {
    gameDeployments: follow(gameDeployments),
    gameStatefulSets: follow(gameStatefulSets),
    pods: follow(pods, { indexes: podIndexes, labelSelector: REVISION_LABEL }),
    controllerRevisions: follow(controllerRevisions, { indexes: controllerIndex, trim: withoutForeignData }),
    hookRuns: follow(hookRuns, { indexes: controllerIndex }),
    hookTemplates: follow(hookTemplates, { indexes: namespaceIndex }),
    persistentVolumeClaims: follow(persistentVolumeClaims, { indexes: namespaceIndex, trim: nameOnly }),
    nodes: follow(nodes),
  };
}

async function whenSynced(stores: StoreReader<KubernetesObject>[], signal: AbortSignal): Promise<void> {
  for (const store of stores) {
    while (!(await store.waitFor(() => store.isSynced, { timeoutMs: SYNC_LOOK_MS, signal })));
  }
}

/** Of a claim only its name matters, and whether it is being deleted; a cluster may have a great many. */
function nameOnly({ metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion, deletionTimestamp } };
}

/** Revisions of StatefulSets and DaemonSets hold templates that nobody here reads. */
function withoutForeignData(revision: ControllerRevision): ControllerRevision {
  const owner = controllerOf(revision);
  if (owner !== undefined && !owner.apiVersion.startsWith(`${API_GROUP}/`)) delete revision.data;
  return revision;
}
