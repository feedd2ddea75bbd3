import { describe, expect, it } from 'vitest';
import type { GameDeploymentStatus } from '../../crds/game-deployment.ts';
import { makeInput, makeView, NOW_MS } from './fixtures.ts';
import type { StatusInput } from './outlook.ts';
import { computeStatus } from './status.ts';
import { transitionsOf } from './transitions.ts';

const steps = { updateStrategy: { canary: { steps: [{ partition: 3 }, { pause: {} }] } } };
const due = { spec: steps, facts: { stableRevision: 'lobby-old' } };
const pause = { reason: 'PausedByCanaryPauseStep' as const, startedAtMs: NOW_MS };
const stepTwo = makeInput(due, { view: makeView({ stepIndex: 1, pause }) });

/** Reasons of the events between two situations; the second is computed on top of the first. */
function between(first: StatusInput | null, second: StatusInput, rolledTo?: string): string[] {
  const previous: GameDeploymentStatus = first === null ? {} : computeStatus(first);
  const { workload } = second.facts;
  const next = computeStatus({ ...second, facts: { ...second.facts, workload: { ...workload, status: previous } } });
  return transitionsOf(previous, next, rolledTo).map(({ type, reason }) => `${type} ${reason}`);
}

describe('transitions', () => {
  it.each<[string, StatusInput | null, StatusInput, string[]]>([
    ['a first creation says nothing', null, makeInput(), []],
    ['nothing changed', makeInput(), makeInput(), []],
    [
      'a rollout starts',
      makeInput({ facts: { updateRevision: 'lobby-old', stableRevision: 'lobby-old' } }),
      makeInput(due, { view: makeView() }),
      ['Normal RolloutStarted', 'Normal SetStepIndex'],
    ],
    [
      'it comes to a pause',
      makeInput(due, { view: makeView() }),
      stepTwo,
      ['Normal SetStepIndex', 'Normal PausedByCanaryPauseStep'],
    ],
    ['it is resumed', stepTwo, makeInput(due, { view: makeView({ stepIndex: 1 }) }), ['Normal RolloutResumed']],
    [
      'it is completed',
      stepTwo,
      makeInput({ spec: steps }),
      ['Normal SetStepIndex', 'Normal RolloutResumed', 'Normal RolloutCompleted'],
    ],
    [
      'it is aborted',
      makeInput(due, { view: makeView() }),
      makeInput(due, { view: makeView({ phase: 'Aborted' }) }),
      ['Warning RolloutAborted'],
    ],
    [
      'it is aborted in a pause: nobody has resumed it',
      stepTwo,
      makeInput(due, { view: makeView({ stepIndex: 1, phase: 'Aborted' }) }),
      ['Warning RolloutAborted'],
    ],
    [
      'the API refuses the template',
      makeInput(due, { view: makeView() }),
      makeInput(due, { view: makeView(), invalid: { revision: 'lobby-new', message: 'No' } }),
      ['Warning InvalidTemplate'],
    ],
    [
      'a HookTemplate is missing',
      makeInput(due, { view: makeView() }),
      makeInput({ ...due, blockers: [{ reason: 'HookTemplateMissing', message: 'No.' }] }, { view: makeView() }),
      ['Warning HookTemplateMissing'],
    ],
    [
      'a revision is gone or going',
      makeInput(due, { view: makeView() }),
      makeInput({ ...due, blockers: [{ reason: 'RevisionMissing', message: 'No.' }] }, { view: makeView() }),
      ['Warning RevisionMissing'],
    ],
    [
      'the hook of a step failed: said once, though two conditions show it',
      makeInput(due, { view: makeView({ stepIndex: 1 }) }),
      makeInput(due, { view: makeView({ stepIndex: 1, pause: { ...pause, reason: 'PausedByStepBasedHook' } }) }),
      ['Warning PausedByStepBasedHook'],
    ],
    [
      'something is not implemented',
      null,
      makeInput({ annotations: { 'imageloader.webhook.bkbcs.tencent.com': '1' } }),
      ['Warning NotImplemented'],
    ],
  ])('%s', (_name, first, second, want) => {
    expect(between(first, second)).toEqual(want);
  });

  describe('of a rollout that was over before any status told of it', () => {
    const before = makeInput({ facts: { updateRevision: 'lobby-old', stableRevision: 'lobby-old' } });
    const after = makeInput();
    const { updateRevision } = after.facts;

    it('tells its beginning and its end', () => {
      expect(between(before, after, updateRevision)).toEqual(['Normal RolloutStarted', 'Normal RolloutCompleted']);
    });

    it('tells nothing where no rollout was needed', () => {
      expect(between(before, after)).toEqual([]);
      expect(between(before, after, 'lobby-older')).toEqual([]);
    });

    it('tells it once', () => {
      expect(between(after, after, updateRevision)).toEqual([]);
    });
  });
});
