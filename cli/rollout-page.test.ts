import { describe, expect, test } from 'vitest';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { RolloutReport } from '../workflows/rollout-query.ts';
import type { RolloutFacts, RolloutSeen } from './rollout-facts.ts';
import { rolloutPage } from './rollout-page.ts';
import { age, table } from './table.ts';

const NOW = Date.parse('2030-01-01T00:10:00Z');

const STEPS = [{ partition: 3 }, { pause: {} }, { hook: { templateName: 'drain' } }, { pause: { duration: 5 } }];

const workload = (status: GameDeployment['status'] = {}, generation = 2) =>
  ({
    ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment' },
    metadata: { namespace: 'games', name: 'lobby', generation },
    spec: { replicas: 5, updateStrategy: { canary: { steps: STEPS } } },
    status: { observedGeneration: 2, readyReplicas: 5, updatedReplicas: 2, ...status },
  }) as unknown as GameDeployment;

const report: RolloutReport = {
  ...{ workload: 'gamedeployment/games/lobby', fromRevision: 'r1', toRevision: 'r2', notices: [] },
  steps: [{ partition: 3 }, { pause: {} }, { hook: { templateName: 'drain' } }, { pause: { durationSeconds: 5 } }],
  log: [
    {
      step: 0,
      what: 'partition 3',
      startedAt: '2030-01-01T00:05:00Z',
      endedAt: '2030-01-01T00:06:00Z',
      outcome: 'done',
    },
    { step: 1, what: 'pause until resumed', startedAt: '2030-01-01T00:06:00Z' },
  ],
  view: {
    ...{ number: 4, phase: 'Paused', stepIndex: 1, stepCount: 4, stepsHash: 'h', message: 'Step 1 waits for a person' },
    pause: { reason: 'PausedByCanaryPauseStep', startedAtMs: NOW - 240_000 },
  },
};

const facts = (rollout: RolloutSeen, status?: GameDeployment['status']): RolloutFacts => ({
  workload: workload({ currentRevision: 'r1', updateRevision: 'r2', ...status }),
  revisions: [
    { name: 'r1', pods: 3, ready: 3 },
    { name: 'r2', pods: 2, ready: 2 },
  ],
  rollout,
});

const PAUSED = `GameDeployment games/lobby: 5 of 5 ready, 2 updated; generation 2

Rollout 4: r1 → r2, Paused for 5m
Waits for: Step 1 waits for a person

    STEP   WHAT          STATE    SINCE   BY
✔   0      partition 3   done     4m
▶   1      pause         paused   4m
·   2      hook drain
·   3      pause 5s

REVISION   PODS   READY
r1         3      3       stable
r2         2      2       update

To resume, any of:
  holdfast resume gamedeployment/lobby -n games --step 1
  temporal workflow signal -w gamedeployment/games/lobby/rollout --name resume --input '{"step":1}'
  kubectl annotate gamedeployment/lobby -n games --overwrite holdfast.dev/resume=r2/1`;

test('a paused rollout: its steps, its pods, what it waits for, how to go on', () => {
  const rollout = { from: 'run', report, startedAt: '2030-01-01T00:05:00Z' } as const;
  expect(rolloutPage(facts(rollout), NOW)).toBe(PAUSED);
});

test('its commands name the Temporal namespace that was asked, where it is not the default one', () => {
  const rollout = { from: 'run', report, startedAt: '2030-01-01T00:05:00Z' } as const;
  const pageIn = (temporalNamespace: string) => rolloutPage({ ...facts(rollout), temporalNamespace }, NOW);
  expect(pageIn('default')).toBe(PAUSED);
  expect(pageIn('staging')).toContain(`To resume, any of:
  holdfast resume gamedeployment/lobby -n games --temporal-namespace staging --step 1
  temporal workflow signal -w gamedeployment/games/lobby/rollout --namespace staging --name resume --input '{"step":1}'
`);
});

const pageOf = (view: RolloutReport['view']) =>
  rolloutPage(facts({ from: 'run', report: { ...report, view }, startedAt: '2030-01-01T00:05:00Z' }), NOW);

test('a failed hook: it can be asked again, and passed', () => {
  const page = pageOf({ ...report.view, pause: { reason: 'PausedByStepBasedHook', startedAtMs: NOW } });
  expect(page).toContain(`To ask the hook again, or to take all pods back:
  holdfast retry gamedeployment/lobby -n games --step 1
  holdfast abort gamedeployment/lobby -n games

To go on without it, any of:
  holdfast resume gamedeployment/lobby -n games --step 1
`);
});

test('an aborted rollout: how it starts again', () => {
  const { pause: _, ...view } = report.view;
  expect(pageOf({ ...view, phase: 'Aborted' })).toMatch(
    /\nTo start again at step 0:\n {2}holdfast retry gamedeployment\/lobby -n games\n {2}temporal workflow signal .* --name retry$/,
  );
});

describe('Temporal does not answer', () => {
  const page = rolloutPage(
    facts(
      { from: 'status', why: 'no worker answers' },
      {
        ...{ currentStepIndex: 1, pauseConditions: [{ reason: 'PausedByCanaryPauseStep' }] },
        conditions: [{ type: 'Progressing', status: 'Unknown', reason: 'RolloutPaused', message: 'Step 1 waits.' }],
      },
    ),
    NOW,
  );

  test('says so, and shows what the status knows', () => {
    expect(page).toContain("Rollout r1 → r2, as the object's status says (Temporal: no worker answers)\nStep 1 waits.");
    expect(page).toMatch(/▶ +1 +pause +paused/);
    expect(page).toContain('--overwrite holdfast.dev/resume=r2/1');
  });
});

test('a closed rollout: what was done, by whom and how long it took', () => {
  const result = {
    ...({ outcome: 'Completed', number: 4, fromRevision: 'r1', toRevision: 'r2' } as const),
    ...{ startedAt: '2030-01-01T00:00:00Z', endedAt: '2030-01-01T00:02:30Z' },
    steps: [
      {
        ...({ step: 1, what: 'pause until resumed', outcome: 'resumed', by: 'ana', reason: 'looks good' } as const),
        ...{ startedAt: '2030-01-01T00:00:00Z', endedAt: '2030-01-01T00:01:00Z' },
      },
    ],
  };
  const page = rolloutPage(facts({ from: 'result', result }), NOW);
  expect(page).toContain('Rollout 4: r1 → r2, Completed at 2030-01-01T00:02:30Z after 2m');
  expect(page).toMatch(/✔ +1 +pause until resumed +resumed +60s +ana +looks good/);
  expect(page).not.toContain('To resume');
});

test('a spec that the controller has not seen is said', () => {
  const page = rolloutPage({ ...facts({ from: 'nothing' }), workload: workload({}, 3) }, NOW);
  expect(page).toContain('generation 3, not seen yet by the controller (status is of generation 2)');
});

test('a message that conditions share is told once', () => {
  const conditions = ['Ready', 'Paused'].map((type) => ({
    type,
    status: 'True' as const,
    reason: 'R',
    message: 'Long.',
  }));
  const page = rolloutPage(facts({ from: 'nothing' }, { conditions }), NOW);
  expect(page.match(/Long\./g)).toHaveLength(1);
  expect(page).toContain('(the same)');
});

test('a cell with line feeds does not break the table', () => {
  expect(table(['A', 'B'], [['x\ny', 'z']])).toBe('A     B\nx y   z');
});

test.each([
  [119_000, '119s'],
  [120_000, '2m'],
  [7_200_000, '2h'],
  [172_800_000, '2d'],
  [-5_000, '0s'],
])('an age of %d ms is %s', (ms, want) => {
  expect(age(0, ms)).toBe(want);
});

test('a rollout knows which revision pods move to before a status tells of it', () => {
  const page = rolloutPage(
    facts({ from: 'run', report, startedAt: '2030-01-01T00:05:00Z' }, { updateRevision: 'r1' }),
    NOW,
  );
  expect(page).toMatch(/^r1 +3 +3 +stable$/m);
  expect(page).toMatch(/^r2 +2 +2 +update$/m);
});
