/**
 * The parts of Kubernetes' own objects that Holdfast reads, as plain JSON types. Types only: no code, no defaults.
 * Fields that we never read are left out; they survive because objects are never rebuilt from these types.
 */

/** A count or a percentage such as `25%`. */
export type IntOrString = number | string;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339, whole seconds. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  /** Seconds; 0 where the object goes as soon as no finalizer holds it. */
  deletionGracePeriodSeconds?: number;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** `metav1.Condition`; on pods `reason` and `message` may be absent. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  reason?: string;
  message?: string;
  /** null where whoever wrote the condition set none. */
  lastTransitionTime?: string | null;
  observedGeneration?: number;
}

export interface LabelSelectorRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values?: string[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface Container {
  name: string;
  image?: string;
  [field: string]: unknown;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  nodeName?: string;
  readinessGates?: { conditionType: string }[];
  [field: string]: unknown;
}

/** A template's metadata may be absent altogether. */
export interface PodTemplateSpec {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; [field: string]: unknown };
  spec: PodSpec;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { reason?: string; exitCode?: number; finishedAt?: string };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  restartCount: number;
  started?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodStatus {
  phase?: PodPhase;
  reason?: string;
  message?: string;
  podIP?: string;
  hostIP?: string;
  startTime?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
}

export interface Pod extends KubernetesObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface Node extends KubernetesObject {
  status?: { conditions?: Condition[] };
}

export interface ControllerRevision extends KubernetesObject {
  /** Ever growing; the newest revision has the highest number. */
  revision: number;
  /** What was recorded: `{spec: {template: …}}` with `$patch: replace` in the template; older ones of ours are without. */
  data?: unknown;
}
