/** The smallest words for walking JSON of unknown shape. */

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as an object; anything else reads as an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The same object with one field replaced where it is present. */
export function mapField(fields: Fields, key: string, change: (value: unknown) => unknown): Fields {
  return fields[key] === undefined ? fields : { ...fields, [key]: change(fields[key]) };
}

/** Changes each object of a list; anything else stays as it is. */
export const mapItems =
  (change: (item: Fields) => Fields) =>
  (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => (isFields(item) ? change(item) : item)) : value;

/** Changes an object; anything else stays as it is. */
export const mapObject =
  (change: (fields: Fields) => Fields) =>
  (value: unknown): unknown =>
    isFields(value) ? change(value) : value;
