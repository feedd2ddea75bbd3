/**
 * The paths of the provider `kubernetes`: `metadata.annotations.KEY` and `metadata.labels.KEY`, where the key is all that
 * follows, dots and slashes included; to be read, any other field as `status.containerStatuses[0].ready`. Pure.
 */

import { cutText } from '../cut-text.ts';
import {
  HOT_PATCH_STATE_ANNOTATION,
  IN_PLACE_GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  INDEX_ID_ANNOTATION,
  INSTANCE_ID_LABEL,
  POD_NAME_LABEL,
  POD_ORDINAL_LABEL,
  REVISION_HASH_LABEL,
  REVISION_LABEL,
} from '../keys.ts';
import { type JsonPath, JsonPathError, parseJsonPath } from './json-path.ts';

export type FieldPath =
  | { type: 'metadata'; map: 'annotations' | 'labels'; key: string }
  | { type: 'field'; jsonPath: JsonPath };

/** The path is not understood or may not be used; the message is one clause. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError';
}

/** As the CRD has it. */
const MAX_LENGTH = 4096;
const SHOWN_LENGTH = 120;
const METADATA = /^metadata\.(annotations|labels)\.(.+)$/su;
/** As Kubernetes takes it: an optional DNS prefix and a name. */
const KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const OWN_PREFIX = 'holdfast.dev/';
/** By these the pods of a workload are known and moved. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  ...[REVISION_LABEL, REVISION_HASH_LABEL, INSTANCE_ID_LABEL, POD_NAME_LABEL, POD_ORDINAL_LABEL, INDEX_ID_ANNOTATION],
  ...[IN_PLACE_STATE_ANNOTATION, IN_PLACE_GRACE_ANNOTATION, HOT_PATCH_STATE_ANNOTATION],
]);

/** @throws FieldPathError */
export function parseFieldPath(path: string): FieldPath {
  if (path.length > MAX_LENGTH) throw new FieldPathError(`the path is longer than ${MAX_LENGTH} characters`);
  const [, map, key] = METADATA.exec(path) ?? [];
  if (map !== undefined && key !== undefined) {
    if (!KEY.test(key)) throw new FieldPathError(`${quoted(key)} is not a key of ${map}`);
    return { type: 'metadata', map: map as 'annotations' | 'labels', key };
  }
  if (path === '' || /[{}*]/.test(path)) throw new FieldPathError(`${quoted(path)} is not the path of one field`);
  try {
    return { type: 'field', jsonPath: parseJsonPath(`{.${path}}`) };
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new FieldPathError(`${quoted(path)} is not the path of a field: ${error.message}`);
  }
}

/** A path that a hook may write. @throws FieldPathError */
export function parsePatchPath(path: string): FieldPath & { type: 'metadata' } {
  const parsed = parseFieldPath(path);
  if (parsed.type !== 'metadata') {
    throw new FieldPathError(`a patch may write metadata.annotations.KEY and metadata.labels.KEY, not ${quoted(path)}`);
  }
  if (parsed.key.startsWith(OWN_PREFIX) || OWN_KEYS.has(parsed.key)) {
    throw new FieldPathError(`${parsed.key} belongs to Holdfast, a hook may not write it`);
  }
  return parsed;
}

/** What may stand in a sentence. */
const quoted = (text: string) => JSON.stringify(cutText(text, SHOWN_LENGTH));
