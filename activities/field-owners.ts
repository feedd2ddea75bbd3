/** Who has set a field, as the API server notes it in managedFields. Stores keep none of that: ask an object that was just read. */
import { isFields } from '../core/plain-json.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';

/** The managers that own the field: whoever changed its value last, and who applies the same. None where nobody keeps a record. */
export function ownersOf({ metadata }: KubernetesObject, path: readonly string[]): string[] {
  const { managedFields: entries } = metadata as { managedFields?: unknown };
  if (!Array.isArray(entries)) return [];
  const owning = entries.filter(isFields).filter(({ fieldsV1 }) => hasField(fieldsV1, path));
  return owning.map(({ manager }) => String(manager));
}

function hasField(fields: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const key = `f:${first}`;
  return isFields(fields) && key in fields && hasField(fields[key], rest);
}
