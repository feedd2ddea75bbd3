import { describe, expect, test } from 'vitest';
import { readTarget, readWorkloadTarget } from './targets.ts';

describe('what is understood', () => {
  const cases: [string[], object][] = [
    [['gamedeployment/lobby'], { kind: 'GameDeployment', name: 'lobby' }],
    [['gd/lobby'], { kind: 'GameDeployment', name: 'lobby' }],
    [['GameDeployments', 'lobby'], { kind: 'GameDeployment', name: 'lobby' }],
    [['gamedeployments'], { kind: 'GameDeployment' }],
    [['gsts/db'], { kind: 'GameStatefulSet', name: 'db' }],
    [['hookruns'], { kind: 'HookRun' }],
    [['hooks'], { kind: 'HookRun' }],
    [['hook/drain'], { kind: 'HookRun', name: 'drain' }],
  ];
  test.each(cases)('%j', (words, want) => {
    expect(readTarget(words)).toEqual(want);
  });
});

describe('what is not', () => {
  const cases: [string[], RegExp][] = [
    [['pod/x'], /"pod" is no kind that holdfast knows: gamedeployment, gamestatefulset, hookrun/],
    [['gd/'], /names no object/],
    [['gd/a/b'], /names no object/],
    [['gd', 'a/b'], /names no object/],
  ];
  test.each(cases)('%j', (words, want) => {
    expect(() => readTarget(words)).toThrow(want);
  });

  test('a verb needs a name', () => {
    expect(() => readWorkloadTarget(['gd'])).toThrow('Which one? Write gamedeployment/<name>');
  });

  test('a verb needs something that has rollouts', () => {
    expect(() => readWorkloadTarget(['hr/drain'])).toThrow('A HookRun has no rollouts');
  });
});
