/**
 * The four kinds of patch, each with its content type. A patch is always one of these values: the apiserver's default
 * is never relied on.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';

/** What the patched object must still be; a wrong uid answers 422, a stale resourceVersion 409. */
interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/** An object given in part; `metadata` may hold just what is to change. */
export type PatchBody = { metadata?: Record<string, unknown>; [field: string]: unknown };

type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string };

export type Patch =
  /** RFC 7386: null removes, lists are replaced whole. */
  | { kind: 'merge'; body: PatchBody }
  /** Lists are merged by their key (containers by name); built-in kinds only, the API refuses it for our own. */
  | { kind: 'strategic'; body: PatchBody }
  | { kind: 'json'; operations: readonly JsonPatchOperation[] }
  /** Server-side apply. `force` takes fields from other managers. */
  | { kind: 'apply'; body: KubernetesObject; force: boolean };

/** A merge patch that is applied only to the object that was seen. */
export function mergePatch(seen: Preconditions, body: PatchBody): Patch {
  return { kind: 'merge', body: withPreconditions(seen, body) };
}

/** A strategic merge patch that is applied only to the object that was seen. */
export function strategicPatch(seen: Preconditions, body: PatchBody): Patch {
  return { kind: 'strategic', body: withPreconditions(seen, body) };
}

export function contentTypeOf(patch: Patch): string {
  switch (patch.kind) {
    case 'merge':
      return 'application/merge-patch+json';
    case 'strategic':
      return 'application/strategic-merge-patch+json';
    case 'json':
      return 'application/json-patch+json';
    case 'apply':
      return 'application/apply-patch+yaml';
  }
}

export function bodyOf(patch: Patch): string {
  return JSON.stringify(patch.kind === 'json' ? patch.operations : patch.body);
}

function withPreconditions(seen: Preconditions, body: PatchBody): PatchBody {
  const { uid, resourceVersion } = seen;
  return {
    ...body,
    metadata: {
      ...body.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
