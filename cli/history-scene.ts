/** A workload with revisions, for the tests of `holdfast history` and `holdfast rollback`. */
import { PAUSED_AT_ANNOTATION, ROLLOUT_SUMMARY_ANNOTATION } from '../core/keys.ts';
import type { RolloutResult } from '../core/rollout/types.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { type History, historyOf } from './history-facts.ts';

type Template = GameDeployment['spec']['template'];

export const templateOf = (image: string, more: object = {}): Template => ({
  metadata: { labels: { app: 'lobby' } },
  spec: { containers: [{ name: 'game', image }], ...more },
});

const result: RolloutResult = {
  ...{ outcome: 'Completed', number: 1, fromRevision: 'lobby-a', toRevision: 'lobby-b' },
  ...{ startedAt: '2030-01-01T00:00:00Z', endedAt: '2030-01-01T00:05:00Z' },
  steps: [
    { step: 0, what: 'pause until resumed', startedAt: '', outcome: 'resumed', by: 'ana' },
    { step: 1, what: 'hook', startedAt: '', outcome: 'skipped', by: 'ben' },
    { step: 2, what: 'pause until resumed', startedAt: '', outcome: 'resumed', by: 'ana' },
  ],
};

const revision = (letter: string, number: number, data: unknown, annotations = {}): ControllerRevision => ({
  ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: number, data },
  metadata: { name: `lobby-${letter}`, namespace: 'games', creationTimestamp: '2030-01-01T00:00:00Z', annotations },
});

/** The three ways in which templates are recorded: as an existing operator does, as text, as Holdfast does. */
const REVISIONS = [
  revision('a', 1, { spec: { template: { $patch: 'replace', ...templateOf('game:1') } } }),
  revision('b', 2, JSON.stringify({ spec: { template: templateOf('game:2') } }), {
    [ROLLOUT_SUMMARY_ANNOTATION]: JSON.stringify(result),
    [PAUSED_AT_ANNOTATION]: 'not ours to read',
  }),
  revision(
    'c',
    3,
    { spec: { template: { $patch: 'replace', ...templateOf('game:3', { hostNetwork: true }) } } },
    {
      [ROLLOUT_SUMMARY_ANNOTATION]: 'no JSON',
    },
  ),
];

interface Changes {
  spec?: object;
  annotations?: Record<string, string>;
  status?: GameDeployment['status'];
  /** Pods by revision. */
  pods?: Record<string, number>;
  revisions?: ControllerRevision[];
}

/** At rest at revision 3, unless a test says otherwise. */
export function aHistory({ spec, annotations, status, pods = { 'lobby-c': 3 }, revisions }: Changes = {}): History {
  const workload = {
    ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment' },
    metadata: { namespace: 'games', name: 'lobby', generation: 4, annotations },
    spec: { replicas: 3, template: templateOf('game:3', { hostNetwork: true }), ...spec },
    status: { currentRevision: 'lobby-c', updateRevision: 'lobby-c', ...status },
  } as unknown as GameDeployment;
  const counts = Object.entries(pods).map(([name, count]) => ({ name, pods: count, ready: count }));
  return historyOf(workload, revisions ?? REVISIONS, counts);
}

/** From revision 1 on its way to revision 2, paused at step 1. */
export const inTheMiddle = (changes: Changes = {}): History =>
  aHistory({
    spec: {
      template: templateOf('game:2'),
      updateStrategy: { type: 'InplaceUpdate', canary: { steps: [{ partition: 2 }, { pause: {} }] } },
    },
    status: {
      ...{ currentRevision: 'lobby-a', updateRevision: 'lobby-b', currentStepIndex: 1 },
      pauseConditions: [{ reason: 'PausedByCanaryPauseStep' }],
    },
    pods: { 'lobby-a': 2, 'lobby-b': 1 },
    ...changes,
  });
