/** Canary steps of both kinds: pauses, hooks, people, and what else happens meanwhile. */
import type { Actor } from './actor.ts';
import {
  calm,
  completed,
  evict,
  kubectlDelete,
  pausedAt,
  rolledBack,
  say,
  scale,
  strategy,
  template,
  wait,
} from './script.ts';
import { type Act, deployment, IN_PLACE, type Story, set } from './story.ts';

const HOOK = { hook: { templateName: 'drain' } };

/** Of the documentation of the existing operators (row 59). */
const DOCUMENTED = [{ partition: 3 }, { pause: {} }, { partition: 2 }, { pause: { duration: 60 } }, HOOK];
const SIMPLE = [{ partition: 3 }, { pause: {} }];
const TWO_PAUSES = [{ partition: 3 }, { pause: {} }, { partition: 2 }, { pause: {} }];

const steps = (steps: object[]) => ({ ...IN_PLACE, canary: { steps } }) as never;

const failedHook: Act = {
  text: 'its hook has failed',
  until: (actor: Actor) => actor.desk.state.rollout?.view?.pause?.reason === 'PausedByStepBasedHook' && actor.isCalm(),
};

export const CANARIES: Story[] = [
  deployment({
    name: 'gd-canary',
    title: 'Row 59: the documented canary, its hook fails and somebody passes it',
    spec: { replicas: 4, updateStrategy: steps(DOCUMENTED) },
    stepHook: () => 'Failed',
    play: [template('r2'), pausedAt(1), say('resume'), failedHook, say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-hook-retried',
    title: 'A failed hook of a step is run again, and the rollout goes on',
    spec: { replicas: 4, updateStrategy: steps([{ partition: 3 }, HOOK]) },
    stepHook: (attempt) => (attempt === 1 ? 'Failed' : 'Successful'),
    play: [template('r2'), failedHook, say('retry'), completed],
  }),
  deployment({
    name: 'gd-canary-abort',
    title: 'An abort takes all pods back; retry starts again at step 0',
    spec: { replicas: 4, updateStrategy: steps(TWO_PAUSES) },
    play: [template('r2'), pausedAt(1), say('abort'), rolledBack, say('retry'), pausedAt(1), say('promote'), completed],
  }),
  deployment({
    name: 'gd-canary-rollback',
    title: 'Report 39: the stable template comes back in a pause: no steps, the canary goes back',
    spec: { replicas: 4, updateStrategy: steps(SIMPLE) },
    play: [template('r2'), pausedAt(1), template('r1'), rolledBack],
  }),
  deployment({
    name: 'gd-canary-third-revision',
    title: 'Row 61: a third revision starts at step 0, and the canary pods of the second are updated first',
    spec: { replicas: 4, updateStrategy: steps(TWO_PAUSES) },
    play: [
      template('r2'),
      pausedAt(1),
      say('resume'),
      pausedAt(3),
      template('r5'),
      pausedAt(1),
      say('resume'),
      pausedAt(3),
      say('resume'),
      completed,
    ],
  }),
  deployment({
    name: 'gd-canary-steps-edited',
    title: 'Row 103, peers 74: steps edited in a pause, what is satisfied already passes at once',
    spec: { replicas: 4, updateStrategy: steps(TWO_PAUSES) },
    play: [
      template('r2'),
      pausedAt(1),
      say('resume'),
      pausedAt(3),
      strategy('first step partition 2', {
        canary: { steps: [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }] },
      }),
      pausedAt(1),
      say('resume'),
      pausedAt(3),
      say('resume'),
      completed,
    ],
  }),
  deployment({
    name: 'gd-canary-clamped',
    title: 'Row 63: a partition above replicas is satisfied, not stuck',
    spec: { replicas: 3, updateStrategy: steps([{ partition: 5 }, { pause: {} }]) },
    play: [template('r2'), pausedAt(1), say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-scale-out',
    title: 'Row 104: pods made in a pause are stable ones and get ready; scale-in keeps a canary; then the steps go on',
    spec: { replicas: 4, updateStrategy: steps(SIMPLE) },
    play: [template('r2'), pausedAt(1), scale(6), calm, scale(2), calm, say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-share',
    title:
      'Peers 76, report 25: with a percentage pods made in a pause are canaries by share; scale-in keeps one canary',
    spec: { replicas: 4, updateStrategy: steps([{ partition: '50%' }, { pause: {} }]) },
    isUndisturbed: true,
    play: [template('r2'), pausedAt(1), scale(8), calm, scale(2), calm, say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-lost',
    title: 'The canary is lost in a pause: it comes back stable, and as a canary after the resume',
    spec: { replicas: 4, updateStrategy: steps(TWO_PAUSES) },
    play: [template('r2'), pausedAt(1), evict(0, 'r2'), calm, say('resume'), pausedAt(3), say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-first-use',
    title: 'Row 62: steps and a new template in one edit stop at the first step',
    spec: { replicas: 3, updateStrategy: IN_PLACE },
    play: [
      strategy('canary steps', { canary: { steps: [{ partition: 2 }, { pause: {} }] } }),
      template('r2'),
      pausedAt(1),
      wait(20),
      say('resume'),
      completed,
    ],
  }),
  set({
    name: 'gsts-canary',
    title: 'A canary of an ordered set: the highest ordinal first, then step by step',
    spec: { replicas: 4, updateStrategy: { type: 'InplaceUpdate', canary: { steps: TWO_PAUSES } } as never },
    play: [template('r2'), pausedAt(1), say('resume'), pausedAt(3), say('resume'), completed],
  }),
  set({
    name: 'gsts-canary-third-revision',
    title: 'A third revision in a pause of a set, and a rollback in the next',
    spec: { replicas: 3, updateStrategy: { canary: { steps: [{ partition: 2 }, { pause: {} }] } } as never },
    play: [template('r2'), pausedAt(1), template('r5'), pausedAt(1), template('r1'), rolledBack],
  }),
  set({
    name: 'gsts-canary-superseded',
    title:
      'A third revision begins with fewer pods: the canary below the partition serves on, is old when lost, else updated in turn',
    spec: { replicas: 4, updateStrategy: { canary: { steps: TWO_PAUSES } } as never },
    play: [
      template('r2'),
      pausedAt(1),
      say('resume'),
      pausedAt(3),
      template('r5'),
      pausedAt(1),
      wait(20),
      say('resume'),
      pausedAt(3),
      template('r6'),
      pausedAt(1),
      kubectlDelete(2),
      calm,
      say('resume'),
      pausedAt(3),
      say('resume'),
      completed,
    ],
  }),
  set({
    name: 'gsts-canary-scale-out',
    title: 'A set that is scaled in a pause makes stable pods',
    spec: {
      replicas: 3,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'InplaceUpdate', canary: { steps: [{ partition: 2 }, { pause: {} }] } } as never,
    },
    play: [template('r2'), pausedAt(1), scale(5), calm, say('resume'), completed],
  }),
];
