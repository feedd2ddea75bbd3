import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toStructural } from './structural.ts';

describe('what zod writes becomes structural', () => {
  const cases: { name: string; schema: z.ZodType; want: object }[] = [
    {
      name: 'an open object keeps unknown fields',
      schema: z.looseObject({ a: z.string() }),
      want: {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
    {
      name: 'a closed object says nothing about unknown fields, because pruning drops them',
      schema: z.strictObject({ a: z.string().optional() }),
      want: { type: 'object', properties: { a: { type: 'string' } } },
    },
    {
      name: 'a record keeps the form of its values',
      schema: z.record(z.string(), z.string().max(3)),
      want: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    },
    {
      name: 'a number or a text becomes int-or-string with the bounds of both',
      schema: z.union([z.int32().min(0), z.string().max(5)]),
      want: { minimum: 0, maximum: 2147483647, maxLength: 5, 'x-kubernetes-int-or-string': true },
    },
    {
      name: 'int32 keeps its upper bound, because the API server names no field for a violated format',
      schema: z.int32(),
      want: { type: 'integer', maximum: 2147483647, format: 'int32' },
    },
    {
      name: 'an exact integer of JavaScript is an int64 without bounds of its own',
      schema: z.int().min(0),
      want: { type: 'integer', minimum: 0, format: 'int64' },
    },
    {
      name: 'a default does not make the field required',
      schema: z.object({ a: z.int32().default(1) }),
      want: {
        type: 'object',
        properties: { a: { type: 'integer', default: 1, maximum: 2147483647, format: 'int32' } },
      },
    },
  ];

  test.each(cases)('$name', ({ schema, want }) => {
    expect(toStructural(schema)).toEqual(want);
  });
});

describe('what has no structural form is refused with its path', () => {
  const cases: { name: string; schema: z.ZodType; want: RegExp }[] = [
    {
      name: 'a union of objects',
      schema: z.object({ a: z.union([z.object({ b: z.string() }), z.object({ c: z.string() })]) }),
      want: /union at \.a/,
    },
    { name: 'a union of three', schema: z.array(z.union([z.int32(), z.string(), z.boolean()])), want: /union at \[\]/ },
    { name: 'a tuple', schema: z.object({ a: z.tuple([z.string(), z.int32()]) }), want: /tuple at .*a/ },
    {
      name: 'a pattern with flags',
      schema: z.object({ a: z.string().regex(/x/i) }),
      want: /flags of the pattern at .*a/,
    },
    {
      name: 'a schema with an id',
      schema: z.object({ a: z.string().meta({ id: 'named' }) }),
      want: /\$ref|definitions|id/,
    },
    { name: 'a nullable field', schema: z.object({ a: z.string().nullable() }), want: /nullable at \.a/ },
    { name: 'a date', schema: z.date(), want: /[Dd]ate/ },
    {
      name: 'an unknown keyword at the root',
      schema: z.string().meta({ surprise: true }),
      want: /surprise at the root/,
    },
  ];

  test.each(cases)('$name', ({ schema, want }) => {
    expect(() => toStructural(schema)).toThrow(want);
  });
});
