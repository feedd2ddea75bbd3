import { describe, expect, it } from 'vitest';
import type { Condition } from '../../crds/kubernetes.ts';
import type { Blocker } from '../plan/types.ts';
import { DUE, makeConditions, makeInput, makeView, NOW_MS, paused } from './fixtures.ts';
import type { StatusInput } from './outlook.ts';
import { bytesOf } from './sentence.ts';

const blocked = (reason: Blocker['reason']): Blocker => ({ reason, message: `Because of ${reason}.` });

/** Situation; Ready; Available; Progressing; Paused; Degraded; Stalled, each as status/reason. */
type Row = [string, StatusInput, string, string, string, string, string, string | undefined];

const OK = 'True/MinimumReplicasAvailable';
const NOT_PAUSED = 'False/NotPaused';
const AS_EXPECTED = 'False/AsExpected';

const ROWS: Row[] = [
  [
    'all is well',
    makeInput(),
    'True/AllPodsAvailable',
    OK,
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a pod is missing',
    makeInput({ counts: { available: 4 } }),
    'False/PodsNotReady',
    OK,
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'too many pods are missing',
    makeInput({ counts: { available: 2 }, blockers: [blocked('PodsNotReady')] }),
    'False/PodsNotReady',
    'False/MinimumReplicasUnavailable',
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a surplus pod is left',
    makeInput({ counts: { replicas: 6 } }),
    'False/PodsNotReady',
    OK,
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a rollout is due and none has spoken',
    makeInput(DUE),
    'False/RolloutInProgress',
    OK,
    'True/RolloutInProgress',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a rollout waits for pods',
    makeInput({ ...DUE, blockers: [blocked('PodsNotReady')] }, { view: makeView() }),
    'False/PodsNotReady',
    OK,
    'True/RolloutInProgress',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a rollout without steps is held by the partition of the spec',
    makeInput({ ...DUE, resolved: { partition: 3 } }, { view: makeView({ stepCount: 0 }) }),
    'False/PartitionReached',
    OK,
    'True/PartitionReached',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a canary waits for a person',
    makeInput(DUE, { view: paused('PausedByCanaryPauseStep') }),
    'False/PausedByCanaryPauseStep',
    OK,
    'Unknown/RolloutPaused',
    'True/PausedByCanaryPauseStep',
    AS_EXPECTED,
    undefined,
  ],
  [
    'the hook of a step failed',
    makeInput(DUE, { view: paused('PausedByStepBasedHook') }),
    'False/PausedByStepBasedHook',
    OK,
    'Unknown/RolloutPaused',
    'True/PausedByStepBasedHook',
    'True/GateFailed',
    'True/PausedByStepBasedHook',
  ],
  [
    'the user paused a rollout',
    makeInput({ ...DUE, spec: { updateStrategy: { paused: true } } }, { view: makeView() }),
    'False/PausedByUser',
    OK,
    'Unknown/RolloutPaused',
    'True/PausedByUser',
    AS_EXPECTED,
    undefined,
  ],
  [
    'the user paused and there is nothing to update',
    makeInput({ spec: { updateStrategy: { paused: true } } }),
    'True/AllPodsAvailable',
    OK,
    'True/RolloutCompleted',
    'True/PausedByUser',
    AS_EXPECTED,
    undefined,
  ],
  [
    'existing scripts set paused: true beside a canary pause',
    makeInput({ ...DUE, spec: { updateStrategy: { paused: true } } }, { view: paused('PausedByCanaryPauseStep') }),
    'False/PausedByCanaryPauseStep',
    OK,
    'Unknown/RolloutPaused',
    'True/PausedByCanaryPauseStep',
    AS_EXPECTED,
    undefined,
  ],
  [
    'the rollout was aborted',
    makeInput(DUE, { view: makeView({ phase: 'Aborted' }) }),
    'False/RolloutAborted',
    OK,
    'False/RolloutAborted',
    NOT_PAUSED,
    AS_EXPECTED,
    'True/RolloutAborted',
  ],
  [
    'the deadline has passed',
    makeInput(DUE, {
      view: makeView({ blocked: { reason: 'ProgressDeadlineExceeded', message: 'No pod moved.', sinceMs: NOW_MS } }),
    }),
    'False/RolloutInProgress',
    OK,
    'False/ProgressDeadlineExceeded',
    NOT_PAUSED,
    AS_EXPECTED,
    'True/ProgressDeadlineExceeded',
  ],
  [
    'the API refuses the template',
    makeInput(DUE, { invalid: { revision: 'lobby-new', message: 'spec.template.spec: no.' } }),
    'False/InvalidTemplate',
    OK,
    'False/InvalidTemplate',
    NOT_PAUSED,
    AS_EXPECTED,
    'True/InvalidTemplate',
  ],
  [
    'a template of before was refused',
    makeInput({}, { invalid: { revision: 'lobby-other', message: 'no.' } }),
    'True/AllPodsAvailable',
    OK,
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'pods cannot be created',
    makeInput({ counts: { available: 4 }, blockers: [blocked('PodCreateFailed')] }),
    'False/PodCreateFailed',
    OK,
    'False/PodCreateFailed',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  ...(
    ['GateFailed', 'PostInplaceHookFailed', 'HookTemplateMissing', 'HookArgumentUnresolved', 'FailedScale'] as const
  ).map(
    (reason): Row => [
      `it stands at ${reason}`,
      makeInput({ ...DUE, blockers: [blocked('PodsNotReady'), blocked(reason)] }, { view: makeView() }),
      `False/${reason}`,
      OK,
      'True/RolloutInProgress',
      NOT_PAUSED,
      `True/${reason}`,
      `True/${reason}`,
    ],
  ),
  [
    'type OnDelete waits for those who delete pods',
    makeInput({ ...DUE, reached: false, blockers: [blocked('WaitsForDeletion')] }, { view: makeView() }),
    'False/WaitsForDeletion',
    OK,
    'True/RolloutInProgress',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'a change is not possible in place and pods are recreated',
    makeInput({ ...DUE, blockers: [blocked('InPlaceNotPossible')] }, { view: makeView() }),
    'False/InPlaceNotPossible',
    OK,
    'True/RolloutInProgress',
    NOT_PAUSED,
    'True/InPlaceNotPossible',
    undefined,
  ],
  [
    'a change is not possible in place and must fail',
    makeInput(
      {
        ...DUE,
        blockers: [blocked('InPlaceNotPossible')],
        spec: { updateStrategy: { inPlaceUpdateStrategy: { fallback: 'Fail' } } },
      },
      { view: makeView() },
    ),
    'False/InPlaceNotPossible',
    OK,
    'True/RolloutInProgress',
    NOT_PAUSED,
    'True/InPlaceNotPossible',
    'True/InPlaceNotPossible',
  ],
  [
    'every move is frozen',
    makeInput({ ...DUE, annotations: { 'holdfast.dev/suspend': 'true' } }, { view: makeView() }),
    'False/Suspended',
    OK,
    'Unknown/RolloutPaused',
    NOT_PAUSED,
    AS_EXPECTED,
    undefined,
  ],
  [
    'something is not implemented',
    makeInput({ annotations: { 'imageloader.webhook.bkbcs.tencent.com': '1' } }),
    'False/NotImplemented',
    OK,
    'True/RolloutCompleted',
    NOT_PAUSED,
    AS_EXPECTED,
    'True/NotImplemented',
  ],
];

describe('conditions (decision 44)', () => {
  it.each(ROWS)('%s', (_name, input, ready, available, progressing, pausedAs, degraded, stalled) => {
    const seen = Object.fromEntries(
      makeConditions(input).map(({ type, status, reason }) => [type, `${status}/${reason}`]),
    );
    expect(seen).toEqual({
      Ready: ready,
      Available: available,
      Progressing: progressing,
      Paused: pausedAs,
      Degraded: degraded,
      ...(stalled === undefined ? {} : { Stalled: stalled }),
    });
  });

  it.each(ROWS)('messages are one bounded sentence: %s', (_name, input) => {
    for (const { message = '', observedGeneration } of makeConditions(input)) {
      expect(message).toMatch(/^[^\n]+[.!?…]$/);
      expect(bytesOf(message)).toBeLessThanOrEqual(1024);
      expect(observedGeneration).toBe(7);
    }
  });
});

it.each([
  [0, 'No pods are asked for and no rollout is open.'],
  [1, 'The pod is available and no rollout is open.'],
  [5, 'All 5 pods are available and no rollout is open.'],
])('%i pods that are all there read as a sentence', (replicas, want) => {
  const input = makeInput({ resolved: { replicas }, counts: { replicas, available: replicas } });
  expect(makeConditions(input)[0]).toMatchObject({ type: 'Ready', status: 'True', message: want });
});

describe('lastTransitionTime', () => {
  const before = (status: 'True' | 'False'): Condition[] => [
    { type: 'Ready', status, reason: 'Old', lastTransitionTime: '2020-01-01T00:00:00Z' },
  ];

  it.each([
    ['stays while the status is the same, whatever the reason', 'True' as const, '2020-01-01T00:00:00Z'],
    ['is now when the status changes', 'False' as const, '2026-11-30T06:00:00Z'],
  ])('%s', (_name, status, want) => {
    expect(makeConditions(makeInput(), before(status))[0]).toMatchObject({ type: 'Ready', lastTransitionTime: want });
  });
});
