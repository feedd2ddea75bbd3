import { expect, test } from 'vitest';
import { bodyOf, contentTypeOf, mergePatch, type Patch, strategicPatch } from './patches.ts';

test.each<[Patch, string]>([
  [{ kind: 'merge', body: {} }, 'application/merge-patch+json'],
  [{ kind: 'strategic', body: {} }, 'application/strategic-merge-patch+json'],
  [{ kind: 'json', operations: [] }, 'application/json-patch+json'],
  [{ kind: 'apply', body: { metadata: { name: 'a' } }, force: true }, 'application/apply-patch+yaml'],
])('%o has its content type', (patch, want) => {
  expect(contentTypeOf(patch)).toBe(want);
});

test('preconditions stand beside the metadata that changes', () => {
  const seen = { uid: 'u', resourceVersion: '7' };
  const patch = mergePatch(seen, { metadata: { labels: { a: null } }, spec: { x: 1 } });
  expect(JSON.parse(bodyOf(patch))).toEqual({
    metadata: { labels: { a: null }, uid: 'u', resourceVersion: '7' },
    spec: { x: 1 },
  });
});

test('a precondition that is not known is not sent', () => {
  expect(bodyOf(strategicPatch({ uid: 'u' }, {}))).toBe('{"metadata":{"uid":"u"}}');
});

test('a JSON patch is its list of operations', () => {
  expect(bodyOf({ kind: 'json', operations: [{ op: 'remove', path: '/a' }] })).toBe('[{"op":"remove","path":"/a"}]');
});
