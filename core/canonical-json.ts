/** One text per JSON value, whatever the order of its keys. Only for comparing and hashing: never sent to a server. */

const hasValue = ([, value]: [string, unknown]): boolean => value !== undefined;
const byKey = ([left]: [string, unknown], [right]: [string, unknown]): number => (left < right ? -1 : 1);

/** JSON with sorted keys; undefined fields are left out, as JSON does. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(hasValue).sort(byKey);
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
