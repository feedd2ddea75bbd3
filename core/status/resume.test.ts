import { expect, test } from 'vitest';
import { DUE, makeConditions, makeInput, makeView, NOW_MS } from './fixtures.ts';
import { signalCommand } from './resume.ts';

const lobby = { kind: 'GameDeployment', metadata: { namespace: 'games', name: 'lobby' } };

test('a signal names its Temporal namespace right after the workflow, unless it is the default one', () => {
  const retry = 'temporal workflow signal -w gamedeployment/games/lobby/rollout --name retry';
  const elsewhere = retry.replace(' --name', ' --namespace staging --name');
  expect(signalCommand(lobby, 'retry')).toBe(retry);
  expect(signalCommand(lobby, 'retry', { temporalNamespace: 'default' })).toBe(retry);
  expect(signalCommand(lobby, 'retry', { temporalNamespace: 'staging' })).toBe(elsewhere);
  const atStep = signalCommand(lobby, 'retry', { step: 2, temporalNamespace: 'staging' });
  expect(atStep).toBe(`${elsewhere} --input '{"step":2}'`);
});

const progressing = (view: Parameters<typeof makeView>[0]) =>
  makeConditions(makeInput(DUE, { view: makeView({ ...view, temporalNamespace: 'staging' }) })).find(
    ({ type }) => type === 'Progressing',
  )?.message;

test('an aborted rollout is started again where it runs', () => {
  expect(progressing({ phase: 'Aborted' })).toContain('/rollout --namespace staging --name retry`');
});

test('a rollout over its deadline is aborted where it runs', () => {
  const blocked = { reason: 'ProgressDeadlineExceeded', message: 'Step 0 is late', sinceMs: NOW_MS } as const;
  expect(progressing({ blocked })).toContain(
    '`holdfast abort gamedeployment/lobby -n games --temporal-namespace staging`',
  );
});
