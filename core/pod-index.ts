/**
 * Unique numbers of a GameDeployment's pods, where its annotations ask for them (game-workloads §1.5): what is asked for,
 * what a pod has, and how a new pod is told. Who gets which number is for the planner.
 */
import type { KubernetesObject, Pod } from '../crds/kubernetes.ts';
import { INDEX_ID_ANNOTATION, INDEX_ON_ANNOTATION, INDEX_RANGE_ANNOTATION, UNNUMBERED_ANNOTATION } from './keys.ts';
import { isFields } from './plain-json.ts';
import type { Numbering } from './plan/types.ts';

export const INDEX_VARIABLE = 'POD_INDEX';

/** From `start` up to, not including, `end`. */
export interface IndexRange {
  start: number;
  end: number;
}

export type IndexRequest =
  | { kind: 'none' }
  | { kind: 'range'; range: IndexRange }
  /** Asked for in a way that cannot be done: one sentence. */
  | { kind: 'refused'; message: string };

/** What the workload asks for; `replicas` pods need as many numbers. */
export function indexRequestOf({ metadata: { annotations = {} } }: KubernetesObject, replicas: number): IndexRequest {
  if (annotations[INDEX_ON_ANNOTATION] !== 'true') return { kind: 'none' };
  const range = parseRange(annotations[INDEX_RANGE_ANNOTATION]);
  if (range === undefined)
    return refused('must be JSON such as {"podStartIndex":0,"podEndIndex":100}, from 0 up and the start below the end');
  const size = range.end - range.start;
  if (size < replicas) return refused(`has ${size} indexes, which is less than replicas (${replicas})`);
  return { kind: 'range', range };
}

const refused = (why: string): IndexRequest => ({
  kind: 'refused',
  message: `No pod can be created, because metadata.annotations["${INDEX_RANGE_ANNOTATION}"] ${why}.`,
});

function parseRange(text = ''): IndexRange | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isFields(value)) return undefined;
    const { podStartIndex: start = 0, podEndIndex: end = 0 } = value;
    const isGood = Number.isSafeInteger(start) && Number.isSafeInteger(end);
    return isGood && Number(start) >= 0 && Number(start) < Number(end)
      ? { start: Number(start), end: Number(end) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where the pod has none, or something that is no number. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_ID_ANNOTATION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** It was made beyond the range, for as long as an update needs it: a pod with an index is to take its place. */
export const isUnnumbered = ({ metadata }: Pod): boolean => metadata.annotations?.[UNNUMBERED_ANNOTATION] === 'true';

const annotated = (pod: Pod, annotations: Record<string, string>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } },
});

/** The pod with its number, in its annotation and as POD_INDEX first in every container, so that other variables may use it. */
export function withIndex(pod: Pod, numbering: Numbering): Pod {
  const { index } = numbering;
  if (index === undefined) return numbering.isUnnumbered ? annotated(pod, { [UNNUMBERED_ANNOTATION]: 'true' }) : pod;
  const variable = { name: INDEX_VARIABLE, value: String(index) };
  const containers = pod.spec.containers.map((container) => ({
    ...container,
    env: [variable, ...variablesOf(container.env).filter(({ name }) => name !== INDEX_VARIABLE)],
  }));
  return annotated({ ...pod, spec: { ...pod.spec, containers } }, { [INDEX_ID_ANNOTATION]: String(index) });
}

const variablesOf = (env: unknown): { name?: unknown }[] => (Array.isArray(env) ? env.filter(isFields) : []);
