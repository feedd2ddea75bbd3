/** zod judges the same tables as the API server does in test/crds: the same fields and the same sentences. */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { NONSENSE } from '../test/crds/nonsense.ts';
import { change, type Manifest } from '../test/crds/objects.ts';
import { SENSE } from '../test/crds/sense.ts';
import { KIND_DEFINITIONS } from './definition.ts';

/** A path as the API server writes it, such as `spec.metrics[0].name`. */
function fieldOf(issue: z.core.$ZodIssue): string {
  return issue.path.reduce<string>(
    (path, part) => path + (typeof part === 'number' ? `[${part}]` : `.${String(part)}`),
    'spec',
  );
}

function judge({ kind, spec }: Manifest): { field: string; message: string }[] {
  const schema = KIND_DEFINITIONS.find((definition) => definition.kind === kind)?.spec;
  const issues = schema?.safeParse(spec).error?.issues ?? [];
  return issues.map((issue) => ({ field: fieldOf(issue), message: issue.message }));
}

describe('nonsense is refused where the API server refuses it', () => {
  test.each(NONSENSE)('$name', ({ object, set, wantPath, wantMessage = '' }) => {
    expect(judge(change(object(), set))).toContainEqual({
      field: wantPath,
      message: expect.stringContaining(wantMessage),
    });
  });
});

describe('what is odd and legal is accepted', () => {
  test.each(SENSE)('$name', ({ object, set }) => {
    expect(judge(change(object(), set))).toEqual([]);
  });
});
