/** Nonsense in partitions, maxUnavailable and maxSurge. */
import type { Nonsense } from './nonsense.ts';
import { type Manifest, makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const STRATEGY = 'spec.updateStrategy';
const ROLLING = 'spec.updateStrategy.rollingUpdate';
const SHARE = 'a count from 0 up or a percentage from 0% to 100%';
const NO_BUDGET = 'cannot both be zero';

export const NONSENSE_IN_BUDGETS: readonly Nonsense[] = [
  ...[-1, '50', '-10%', '101%', '1.5%', '%', 'ten', ''].map((value) => ({
    name: `a partition of ${JSON.stringify(value)}`,
    object: makeGameDeployment,
    spoil: (spec: Manifest['spec']) => (spec.updateStrategy.partition = value),
    wantPath: `${STRATEGY}.partition`,
    wantMessage: SHARE,
  })),
  {
    name: 'a partition that is neither number nor text',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.partition = true),
    wantPath: `${STRATEGY}.partition`,
  },
  {
    name: 'a fraction of a pod',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.maxUnavailable = 1.5),
    wantPath: `${STRATEGY}.maxUnavailable`,
  },
  {
    name: 'more pods unavailable than there are',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.maxUnavailable = '200%'),
    wantPath: `${STRATEGY}.maxUnavailable`,
    wantMessage: SHARE,
  },
  {
    name: 'a surge without a percent sign',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.maxSurge = '25'),
    wantPath: `${STRATEGY}.maxSurge`,
    wantMessage: 'a count from 0 up or a percentage, such as',
  },
  {
    name: 'a negative surge',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.updateStrategy.rollingUpdate.maxSurge = -1),
    wantPath: `${ROLLING}.maxSurge`,
    wantMessage: 'a count from 0 up or a percentage, such as',
  },
  {
    name: 'an ordinal partition above 100 %',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.updateStrategy.rollingUpdate.partition = '150%'),
    wantPath: `${ROLLING}.partition`,
    wantMessage: SHARE,
  },
  {
    name: 'a batch that is no percentage',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.scaleStrategy = { createBatch: 'all' }),
    wantPath: 'spec.scaleStrategy.createBatch',
    wantMessage: 'a count from 0 up or a percentage, such as',
  },
  ...[
    { maxUnavailable: 0, maxSurge: 0 },
    { maxUnavailable: '0%', maxSurge: 0 },
    { maxUnavailable: 0, maxSurge: '0%' },
    { maxUnavailable: '0%', maxSurge: '0%' },
  ].flatMap((both): Nonsense[] => [
    {
      name: `both budgets zero: ${JSON.stringify(both)}`,
      object: makeGameDeployment,
      spoil: (spec) => Object.assign(spec.updateStrategy, both),
      wantPath: `${STRATEGY}.maxUnavailable`,
      wantMessage: NO_BUDGET,
    },
    {
      name: `both budgets of a GameStatefulSet zero: ${JSON.stringify(both)}`,
      object: makeGameStatefulSet,
      spoil: (spec) => Object.assign(spec.updateStrategy.rollingUpdate, both),
      wantPath: `${ROLLING}.maxUnavailable`,
      wantMessage: NO_BUDGET,
    },
  ]),
];
