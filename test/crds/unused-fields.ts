/** Which fields of a schema no manifest uses: computed from the schema, so that a new field asks for its example. */
import type { StructuralSchema } from '../../crds/structural.ts';

/** Paths of fields that none of the values has, such as `spec.metrics[].count`. */
export function unusedFields(schema: StructuralSchema, values: unknown[], path: string): string[] {
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length === 0) return [path];
  if (schema.items !== undefined) return unusedFields(schema.items, present.flat(), `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const inside = present.map((value) => (value as Record<string, unknown>)[name]);
    return unusedFields(child, inside, `${path}.${name}`);
  });
}
