import { describe, expect, it } from 'vitest';
import type { Condition } from '../../crds/kubernetes.ts';
import { blockedFinding, isSaidBlocked } from './blocked-run.ts';
import { withStall } from './stalled.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const run = { workflowId: 'gamedeployment/default/lobby/rollout', problems: ['category=WorkflowTaskFailed'] };
const ready: Condition = { type: 'Ready', status: 'True', reason: 'AllPodsAvailable', message: 'All.' };
const paused: Condition = { type: 'Paused', status: 'False', reason: 'NotPaused', message: 'Nothing is paused.' };

describe('a run whose workflow task fails', () => {
  it('is said in Ready and Stalled, with the command that shows it; other conditions stay', () => {
    const said = withStall([ready, paused], blockedFinding(run), 3, NOW);
    expect(said.find(({ type }) => type === 'Paused')).toBe(paused);
    expect(said.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False', reason: 'WorkflowTaskFailed' });
    const stalled = said.find(({ type }) => type === 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', observedGeneration: 3 });
    expect(stalled?.message).toContain('temporal workflow describe -w gamedeployment/default/lobby/rollout');
    expect(stalled?.message).toContain('Where an older release runs than before, start the newer one again');
    expect([isSaidBlocked([ready, paused]), isSaidBlocked(said)]).toEqual([false, true]);
  });

  it('names the Temporal namespace in the command, where it is not the default one', () => {
    const messageOf = (temporalNamespace: string) => blockedFinding({ ...run, temporalNamespace }).message;
    expect(messageOf('staging')).toMatch(/describe -w gamedeployment\/default\/lobby\/rollout --namespace staging\.$/);
    expect(messageOf('default')).toBe(blockedFinding(run).message);
  });

  it('said again changes nothing', () => {
    const once = withStall([ready, paused], blockedFinding(run), 3, NOW);
    expect(withStall(once, blockedFinding(run), 3, NOW + 60_000)).toEqual(once);
  });
});
