/**
 * Turns a zod schema into a structural OpenAPI schema, the only form a CustomResourceDefinition takes.
 * It refuses what has no structural form instead of dropping it: a bound that got lost would be found by users only.
 */
import { z } from 'zod';

/** The keywords that our schemas use; anything else is refused. */
export interface StructuralSchema {
  description?: string;
  type?: string;
  format?: string;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: Record<string, string>[];
}

/** A node as zod writes it: structural but for unions and open objects. */
type ZodNode = Omit<StructuralSchema, 'properties' | 'items' | 'additionalProperties'> & {
  anyOf?: ZodNode[];
  properties?: Record<string, ZodNode>;
  items?: ZodNode;
  additionalProperties?: ZodNode | boolean;
};

const COPIED = new Set([
  'description',
  'type',
  'format',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
]);
const CONVERTED = new Set(['anyOf', 'properties', 'items', 'additionalProperties']);

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);

/** @throws Error that names the path of a construct that has no structural form. */
export function toStructural(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'throw',
    cycles: 'throw',
    reused: 'inline',
    override: ({ zodSchema, path }) => refuseLossy(zodSchema, path),
  });
  return convert(json as ZodNode, '');
}

/** zod drops the order of tuples and the flags of patterns without a word. */
function refuseLossy(schema: z.core.$ZodTypes, path: readonly (string | number)[]): void {
  const { type } = schema._zod.def;
  if (type === 'tuple' || type === 'intersection')
    throw new Error(`no structural form for the ${type} at .${path.join('.')}`);
  const { checks = [] } = schema._zod.def;
  if (
    checks.some(({ _zod: { def } }) => 'pattern' in def && def.pattern instanceof RegExp && def.pattern.flags !== '')
  ) {
    throw new Error(`no structural form for the flags of the pattern at .${path.join('.')}`);
  }
}

function convert(node: ZodNode, path: string): StructuralSchema {
  if (node.anyOf !== undefined) return intOrString(node, node.anyOf, path);
  const result: StructuralSchema = withIntegerFormat(copied(node, path));
  if (node.items !== undefined) result.items = convert(node.items, `${path}[]`);
  if (node.properties !== undefined) {
    result.properties = mapValues(node.properties, (child, name) => convert(child, `${path}.${name}`));
  }
  return { ...result, ...additional(node, path) };
}

/** Everything that is the same in both forms. */
function copied(node: ZodNode, path: string): StructuralSchema {
  const unknown = Object.keys(node).filter((key) => !COPIED.has(key) && !CONVERTED.has(key));
  if (unknown.length > 0) throw new Error(`no structural form for ${unknown.join(', ')} at ${path || 'the root'}`);
  return Object.fromEntries(Object.entries(node).filter(([key]) => COPIED.has(key)));
}

/** A union is possible in one form only: a whole number or a text, each with its own bounds. */
function intOrString(node: ZodNode, branches: ZodNode[], path: string): StructuralSchema {
  const types = branches.map((branch) => branch.type).sort();
  if (types.join() !== 'integer,string') throw new Error(`no structural form for the union at ${path}`);
  const { anyOf: _, ...rest } = node;
  const bounds = branches.flatMap((branch) => Object.entries(withIntegerFormat(copied(branch, path))));
  const merged = Object.fromEntries(bounds.filter(([key]) => key !== 'type' && key !== 'format'));
  return { ...copied(rest, path), ...merged, 'x-kubernetes-int-or-string': true };
}

/**
 * The size of whole numbers is said by a format; bounds that only repeat it are left out,
 * but for the upper one of int32: the API server names no field when a format is violated.
 */
function withIntegerFormat(schema: StructuralSchema): StructuralSchema {
  if (schema.type !== 'integer') return schema;
  const { minimum, maximum, ...rest } = schema;
  const isInt32 = maximum !== undefined && maximum <= INT32_MAX;
  return {
    ...rest,
    ...(minimum === undefined || minimum <= INT32_MIN ? {} : { minimum }),
    ...(maximum === undefined || maximum > INT32_MAX ? {} : { maximum }),
    format: isInt32 ? 'int32' : 'int64',
  };
}

/** Open objects keep unknown fields, closed ones prune them as every structural schema does, records keep their form. */
function additional(node: ZodNode, path: string): StructuralSchema {
  const { additionalProperties } = node;
  if (additionalProperties === undefined || additionalProperties === false) return {};
  const isOpen = additionalProperties === true || Object.keys(additionalProperties).length === 0;
  if (isOpen) return { 'x-kubernetes-preserve-unknown-fields': true };
  return { additionalProperties: convert(additionalProperties, `${path}.*`) };
}

function mapValues<A, B>(record: Record<string, A>, change: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
