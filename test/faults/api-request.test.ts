import { expect, test } from 'vitest';
import { readApiRequest } from './api-request.ts';

const POD = '/api/v1/namespaces/games/pods/lobby-a1';

test.each([
  ['a core object', 'PATCH', POD, { resource: 'pods', namespace: 'games', name: 'lobby-a1', kind: 'write' }],
  ['a subresource', 'PUT', `${POD}/status`, { resource: 'pods/status', name: 'lobby-a1', kind: 'write' }],
  ['a create', 'POST', '/api/v1/namespaces/games/pods', { resource: 'pods', name: undefined, kind: 'write' }],
  ['a dry run', 'POST', '/api/v1/namespaces/games/pods?dryRun=All', { resource: 'pods', kind: 'read' }],
  [
    'an object of a group',
    'PATCH',
    '/apis/tkex.tencent.com/v1alpha1/namespaces/games/gamedeployments/lobby/status?fieldManager=holdfast',
    { resource: 'gamedeployments/status', namespace: 'games', name: 'lobby', kind: 'write' },
  ],
  ['a watch over all namespaces', 'GET', '/api/v1/pods?watch=true', { resource: 'pods', kind: 'watch' }],
  ['a watch as 1', 'GET', '/api/v1/namespaces/games/pods?watch=1', { resource: 'pods', kind: 'watch' }],
  ['a list', 'GET', '/api/v1/pods?watch=false', { resource: 'pods', namespace: undefined, kind: 'read' }],
  ['a namespace', 'DELETE', '/api/v1/namespaces/games', { resource: 'namespaces', name: 'games', kind: 'write' }],
  ["a namespace's status", 'PUT', '/api/v1/namespaces/games/status', { resource: 'namespaces/status', name: 'games' }],
  ['no resource at all', 'GET', '/readyz', { resource: '', name: undefined, kind: 'read' }],
])('reads %s', (_, method, url, want) => {
  expect(readApiRequest(method, url)).toMatchObject(want);
});
