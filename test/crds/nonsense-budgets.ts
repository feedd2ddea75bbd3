/** Nonsense in partitions, maxUnavailable and maxSurge. */
import type { Nonsense } from './nonsense.ts';
import { type MakeManifest, makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const STRATEGY = 'spec.updateStrategy';
const ROLLING = 'spec.updateStrategy.rollingUpdate';
const SHARE = 'a count from 0 up or a percentage from 0% to 100%';
const PERCENTAGE = 'a count from 0 up or a percentage, such as';

function wrong(object: MakeManifest, path: string, value: unknown, wantMessage?: string): Nonsense {
  return { name: `${path}: ${JSON.stringify(value)}`, object, set: { [path]: value }, wantPath: path, wantMessage };
}

const forms: Nonsense[] = [
  ...[-1, '50', '-10%', '101%', '1.5%', '%', 'ten', ''].map((value) =>
    wrong(makeGameDeployment, `${STRATEGY}.partition`, value, SHARE),
  ),
  wrong(makeGameDeployment, `${STRATEGY}.partition`, true),
  wrong(makeGameDeployment, `${STRATEGY}.maxUnavailable`, 1.5),
  wrong(makeGameDeployment, `${STRATEGY}.maxUnavailable`, '200%', SHARE),
  wrong(makeGameDeployment, `${STRATEGY}.maxSurge`, '25', PERCENTAGE),
  wrong(makeGameDeployment, 'spec.scaleStrategy.createBatch', -1, PERCENTAGE),
  wrong(makeGameStatefulSet, `${ROLLING}.maxSurge`, -1, PERCENTAGE),
  wrong(makeGameStatefulSet, `${ROLLING}.maxUnavailable`, '-1%', SHARE),
  wrong(makeGameStatefulSet, `${ROLLING}.partition`, '150%', SHARE),
  wrong(makeGameStatefulSet, 'spec.scaleStrategy.createBatch', 'all', PERCENTAGE),
];

/** Decision 20. */
const zeros = [0, '0%'].flatMap((maxUnavailable) => [0, '0%'].map((maxSurge) => ({ maxUnavailable, maxSurge })));
const bothZero = zeros.flatMap((both): Nonsense[] => [
  {
    name: `a GameDeployment with ${JSON.stringify(both)}`,
    object: makeGameDeployment,
    set: { [STRATEGY]: both },
    wantPath: `${STRATEGY}.maxUnavailable`,
    wantMessage: 'cannot both be zero',
  },
  {
    name: `a GameStatefulSet with ${JSON.stringify(both)}`,
    object: makeGameStatefulSet,
    set: { [ROLLING]: both },
    wantPath: `${ROLLING}.maxUnavailable`,
    wantMessage: 'cannot both be zero',
  },
]);

export const NONSENSE_IN_BUDGETS: readonly Nonsense[] = [...forms, ...bothZero];
