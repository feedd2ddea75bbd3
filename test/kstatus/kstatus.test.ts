/**
 * What Helm (`--wait`) and Flux take our objects for, by their own library: Current ends their wait, Failed ends it as a
 * failure, InProgress keeps them waiting.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { conditionsOf } from '../../core/status/conditions.ts';
import { DUE, makeInput, makeView, NOW_MS, paused } from '../../core/status/fixtures.ts';
import { type Outlook, outlookOf, type StatusInput } from '../../core/status/outlook.ts';
import { REVISION_REFUSED, refusedStatus } from '../../core/status/stalled.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import { STORIES } from '../stories/all.ts';
import { GoldenPlay } from '../stories/golden-play.ts';
import { buildKstatus, type Reading, readStatuses } from './kstatus.ts';

beforeAll(async () => void (await buildKstatus()), 180_000);

const GENERATION = 7;
const KINDS = ['GameDeployment', 'GameStatefulSet'] as const;
const blocked = (reason: Outlook['blockers'][number]['reason']) => ({ blockers: [{ reason, message: `${reason}.` }] });
const byUser = { spec: { updateStrategy: { paused: true } } };
const failedGate = { reason: 'NotImplemented', message: 'This version does not implement it.' };

/** Situation; its status; what the library reads; the conditions' reason whose sentence it repeats. */
type Row = [string, StatusInput, Reading['status'], string, Partial<Outlook>?];

const ROWS: Row[] = [
  ['ready', makeInput(), 'Current', 'AllPodsAvailable'],
  ['pods are created', makeInput({ counts: { available: 3 } }), 'InProgress', 'PodsNotReady'],
  ['a pod too many', makeInput({ counts: { replicas: 6 } }), 'InProgress', 'PodsNotReady'],
  ['a rollout has not spoken yet', makeInput(DUE), 'InProgress', 'RolloutInProgress'],
  ['rolling', makeInput(DUE, { view: makeView() }), 'InProgress', 'RolloutInProgress'],
  [
    'paused at a step',
    makeInput(DUE, { view: paused('PausedByCanaryPauseStep') }),
    'InProgress',
    'PausedByCanaryPauseStep',
  ],
  ['paused by its user', makeInput({ ...DUE, ...byUser }, { view: makeView() }), 'InProgress', 'PausedByUser'],
  ['paused by its user with nothing to update', makeInput(byUser), 'Current', 'AllPodsAvailable'],
  [
    'held by the partition',
    makeInput({ ...DUE, resolved: { partition: 3 } }, { view: makeView({ stepCount: 0 }) }),
    'InProgress',
    'PartitionReached',
  ],
  [
    'OnDelete waits for a person',
    makeInput({ ...DUE, ...blocked('WaitsForDeletion') }),
    'InProgress',
    'WaitsForDeletion',
  ],
  ['a broken image', makeInput({ ...DUE, ...blocked('PodsNotReady') }), 'InProgress', 'PodsNotReady'],
  ['pods are refused', makeInput(blocked('PodCreateFailed')), 'InProgress', 'PodCreateFailed'],
  ['suspended', makeInput({ annotations: { 'holdfast.dev/suspend': 'true' } }), 'InProgress', 'Suspended'],
  ['aborted', makeInput(DUE, { view: makeView({ phase: 'Aborted' }) }), 'Failed', 'RolloutAborted'],
  ['its hook failed', makeInput(DUE, { view: paused('PausedByStepBasedHook') }), 'Failed', 'PausedByStepBasedHook'],
  ['a gate failed', makeInput({ ...DUE, ...blocked('GateFailed') }), 'Failed', 'GateFailed'],
  ['a HookTemplate is missing', makeInput(blocked('HookTemplateMissing')), 'Failed', 'HookTemplateMissing'],
  [
    'past its deadline',
    makeInput(DUE, {
      view: makeView({ blocked: { reason: 'ProgressDeadlineExceeded', message: 'No pod moved.', sinceMs: NOW_MS } }),
    }),
    'Failed',
    'ProgressDeadlineExceeded',
  ],
  [
    'the API refuses the template',
    makeInput(DUE, { invalid: { revision: 'lobby-new', message: 'spec.template.spec: no.' } }),
    'Failed',
    'InvalidTemplate',
  ],
  ['not implemented', makeInput(), 'Failed', 'NotImplemented', { notImplemented: failedGate }],
];

const objectOf = (kind: string, status: object | undefined, metadata: object = {}) => ({
  apiVersion: 'tkex.tencent.com/v1alpha1',
  kind,
  metadata: { name: 'lobby', namespace: 'games', generation: GENERATION, ...metadata },
  spec: {},
  ...(status === undefined ? {} : { status }),
});

const conditionsIn = ({ facts, ...input }: StatusInput, kind: string, more: Partial<Outlook> = {}): Condition[] => {
  const workload = { ...facts.workload, kind } as typeof facts.workload;
  return conditionsOf({ ...outlookOf({ ...input, facts: { ...facts, workload } }), ...more }, [], GENERATION, NOW_MS);
};

async function read(object: object): Promise<Reading | undefined> {
  return (await readStatuses([object]))[0];
}

describe.each(KINDS)('%s', (kind) => {
  it.each(ROWS)('%s', async (_name, input, status, reason, more) => {
    const conditions = conditionsIn(input, kind, more);
    const told = conditions.find(
      (condition) => condition.reason === reason && ['Ready', 'Stalled'].includes(condition.type),
    );
    const { status: seen, message } = (await read(
      objectOf(kind, { observedGeneration: GENERATION, conditions }),
    )) as Reading;
    expect([seen, message]).toEqual([status, status === 'Current' ? 'Resource is Ready' : told?.message]);
  });

  it('an edit that nobody has looked at yet, also of one that is aborted', async () => {
    const conditions = conditionsIn(makeInput(DUE, { view: makeView({ phase: 'Aborted' }) }), kind);
    const edited = objectOf(kind, { observedGeneration: GENERATION - 1, conditions });
    expect(await read(edited)).toMatchObject({ status: 'InProgress', message: expect.stringContaining('generation') });
  });

  it('an edit whose revision the API refuses', async () => {
    const observedGeneration = GENERATION - 1;
    const conditions = conditionsIn(makeInput(), kind).map((condition) => ({ ...condition, observedGeneration }));
    const status = { observedGeneration, conditions };
    const finding = { reason: REVISION_REFUSED, message: 'exceeded quota.' };
    const refused = refusedStatus(objectOf(kind, status) as GameWorkload, finding, NOW_MS);
    expect(await read(objectOf(kind, refused))).toEqual({ status: 'Failed', message: 'exceeded quota.' });
  });

  it('a new object that nobody has looked at yet', async () => {
    expect(await read(objectOf(kind, { observedGeneration: -1 }))).toMatchObject({ status: 'InProgress' });
  });

  it('one that is being deleted, whatever its conditions say', async () => {
    const status = { observedGeneration: GENERATION, conditions: conditionsIn(makeInput(), kind) };
    const leaving = objectOf(kind, status, { deletionTimestamp: '2026-11-30T06:00:00Z' });
    expect((await read(leaving))?.status).toBe('Terminating');
  });
});

describe('at each moment of the golden stories', () => {
  it.each(STORIES)(
    '$name: Current when all is done, and only then; Failed when a person has to do something',
    async (story) => {
      const { moments } = new GoldenPlay(story).run();
      const seen = await readStatuses(moments.map(({ workload }) => workload));
      const want = moments.map(({ workload, isDone }) => {
        const isStalled = workload.status?.conditions?.some(({ type }) => type === 'Stalled');
        return isStalled ? 'Failed' : isDone ? 'Current' : 'InProgress';
      });
      const shown = (all: string[]) => moments.map(({ text }, index) => `${text}: ${all[index]}`);
      expect(shown(seen.map(({ status }) => status))).toEqual(shown(want));
    },
  );
});
