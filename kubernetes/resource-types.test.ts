import { expect, test } from 'vitest';
import { apiVersionOf, collectionPath, gameDeployments, nodes, objectPath, pods } from './resource-types.ts';

test.each([
  ['all pods', collectionPath(pods), '/api/v1/pods'],
  ['pods of a namespace', collectionPath(pods, 'a'), '/api/v1/namespaces/a/pods'],
  ['nodes have no namespace', collectionPath(nodes, 'a'), '/api/v1/nodes'],
  ['a pod', objectPath(pods, { namespace: 'a', name: 'b' }), '/api/v1/namespaces/a/pods/b'],
  ['a name cannot leave its place', objectPath(nodes, { name: '../x' }), '/api/v1/nodes/..%2Fx'],
  [
    'a status of our own',
    objectPath(gameDeployments, { namespace: 'a', name: 'b' }, 'status'),
    '/apis/tkex.tencent.com/v1alpha1/namespaces/a/gamedeployments/b/status',
  ],
])('%s', (_what, path, want) => {
  expect(path).toBe(want);
});

test('a path that would mean something else is refused', () => {
  expect(() => objectPath(pods, { name: 'b' })).toThrow('Pod b was addressed without a namespace');
  expect(() => objectPath(nodes, { name: '' })).toThrow('a Node was addressed without a name');
});

test('apiVersion of the core group has no slash', () => {
  expect(apiVersionOf(pods)).toBe('v1');
  expect(apiVersionOf(gameDeployments)).toBe('tkex.tencent.com/v1alpha1');
});
