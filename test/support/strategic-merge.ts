/** What an API server makes of a strategic merge patch, as far as ours go. */
import type { PatchBody } from '../../kubernetes/patches.ts';

/** Merge keys of the lists that our strategic patches touch. */
const MERGE_KEYS: Readonly<Record<string, string>> = { conditions: 'type', containers: 'name', ownerReferences: 'uid' };

export function merge(target: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(patch)) return mergeList(Array.isArray(target) ? target : [], patch, MERGE_KEYS[field]);
  if (typeof patch !== 'object' || patch === null) return patch;
  const result: PatchBody = { ...(typeof target === 'object' && target !== null ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value, key);
  }
  return result;
}

function mergeList(target: Record<string, unknown>[], patch: Record<string, unknown>[], key: string | undefined) {
  if (key === undefined) return patch;
  const result = [...target];
  for (const item of patch) {
    const at = result.findIndex((candidate) => candidate[key] === item[key]);
    if (item.$patch === 'delete') result.splice(at, at < 0 ? 0 : 1);
    else if (at < 0) result.push(item);
    else result[at] = merge(result[at], item) as Record<string, unknown>;
  }
  return result;
}
