/** Builders for the tests of this folder: a workload of five pods of which all is well, to be changed where a test cares. */
import type { GameDeployment, GameDeploymentStatus } from '../../crds/game-deployment.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import type { Blocker, Plan, PlanInput } from '../plan/types.ts';
import type { PauseReason, RolloutView } from '../rollout/types.ts';
import { conditionsOf } from './conditions.ts';
import { outlookOf, type StatusInput } from './outlook.ts';

export const NOW_MS = Date.parse('2026-11-30T06:00:00Z');
/** A rollout is due. */
export const DUE = { facts: { stableRevision: 'lobby-old' } };

interface Changes {
  spec?: Partial<GameDeployment['spec']>;
  annotations?: Record<string, string>;
  status?: GameDeploymentStatus;
  facts?: Partial<PlanInput>;
  counts?: Partial<Plan['counts']>;
  resolved?: Partial<Plan['resolved']>;
  blockers?: Blocker[];
  reached?: boolean;
}

/** `updateRevision` other than `stableRevision` means that a rollout is due. */
export function makeInput(changes: Changes = {}, rest: Partial<StatusInput> = {}): StatusInput {
  return {
    facts: makeFacts(changes),
    plan: makePlan(changes),
    view: null,
    moving: false,
    consumedResume: [],
    ...rest,
  };
}

function makeFacts({ spec, annotations, status, facts }: Changes): PlanInput {
  const workload: GameDeployment = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameDeployment',
    metadata: { namespace: 'games', name: 'lobby', generation: 7, annotations },
    spec: {
      replicas: 5,
      selector: { matchLabels: { b: '2', a: '1' } },
      template: { spec: { containers: [{ name: 'game', image: 'game:1' }] } },
      ...spec,
    },
    status,
  };
  return {
    workload,
    revisions: [],
    updateRevision: 'lobby-new',
    stableRevision: 'lobby-new',
    allowance: null,
    pods: [],
    nodes: {},
    hookRuns: [],
    hookTemplates: {},
    unresolved: [],
    issued: [],
    backOff: { count: 0, untilMs: 0 },
    gates: {},
    nowMs: NOW_MS,
    seed: 'seed',
    ...facts,
  };
}

function makePlan({ counts, resolved, blockers = [], reached = true }: Changes): Plan {
  return {
    moves: [],
    retired: [],
    counts: {
      replicas: 5,
      ready: 5,
      available: 5,
      updated: 5,
      updatedReady: 5,
      updatedAvailable: 5,
      waiting: 0,
      updating: 0,
      unavailable: 0,
      perRevision: { 'lobby-new': 5 },
      ...counts,
    },
    resolved: { replicas: 5, partition: 0, maxUnavailable: 2, maxSurge: 0, ...resolved },
    reached,
    blockers,
    inTransition: false,
    freeBudget: 2,
    remaining: 0,
    replacesFailed: 0,
  };
}

export const makeView = (view: Partial<RolloutView> = {}): RolloutView => ({
  number: 2,
  phase: 'Progressing',
  stepIndex: 0,
  stepCount: 6,
  stepsHash: 'hash',
  message: 'Step 0 of 6 updates 2 pods',
  ...view,
});

/** At its pause for a minute. */
export const paused = (reason: PauseReason, endsAtMs?: number): RolloutView =>
  makeView({ phase: 'Paused', stepIndex: 1, pause: { reason, startedAtMs: NOW_MS - 60_000, endsAtMs } });

/** The conditions of generation 7. */
export const makeConditions = (input: StatusInput, previous: Condition[] = []): Condition[] =>
  conditionsOf(outlookOf(input), previous, 7, NOW_MS);
