/** Hooks around updates in place, of both kinds: before each pod is touched, and once it is done (decisions 37 and 38). */
import { DRAIN } from './hook-desk.ts';
import {
  blocked,
  calm,
  completed,
  kubectlDelete,
  pausedAt,
  pods,
  retryGates,
  rolledBack,
  say,
  saySkipOf,
  scale,
  template,
  told,
  updating,
  wait,
} from './script.ts';
import { deployment, IN_PLACE, type Story, set } from './story.ts';

const firstFails = (run: number) => (run === 1 ? 'Failed' : 'Successful');

const BEFORE = { updateStrategy: IN_PLACE, preDeleteUpdateStrategy: DRAIN, preInplaceUpdateStrategy: DRAIN };
const AFTER = { updateStrategy: IN_PLACE, postInplaceUpdateStrategy: DRAIN };
const ORDERED = {
  replicas: 2,
  updateStrategy: { type: 'InplaceUpdate' as const, rollingUpdate: { maxUnavailable: 1 } },
};
const canary = (steps: object[]) => ({ ...IN_PLACE, canary: { steps } }) as never;

export const IN_PLACE_HOOKS: Story[] = [
  deployment({
    name: 'gd-pre-in-place',
    title: 'preInplace is asked before an update in place, preDelete before a scale-in',
    spec: { replicas: 3, ...BEFORE },
    play: [template('r2'), completed, scale(2), calm],
  }),
  deployment({
    name: 'gd-pre-in-place-superseded',
    title:
      'A new template while a pod waits for its hook: its success is void, the hook is asked for the new one (decision 36)',
    spec: { replicas: 2, ...BEFORE },
    play: [template('r2'), wait(2), template('r5'), completed],
  }),
  deployment({
    name: 'gd-pre-in-place-partition',
    title:
      'Peers 18 and 19: a pod that waits for its hook is old yet: where another one is lost it stays so, and the lost one comes back as the canary',
    spec: { replicas: 2, ...BEFORE, updateStrategy: { ...IN_PLACE, partition: '99%' } },
    gate: firstFails,
    isUndisturbed: true,
    play: [template('r2'), blocked('GateFailed'), kubectlDelete(1), calm, scale(3), calm],
  }),
  deployment({
    name: 'gd-pre-in-place-aborted',
    title:
      'Report 18: an abort while gates run: the mark is taken off, pods that were updated ask again on their way back',
    spec: { replicas: 3, ...BEFORE },
    play: [template('r2'), pods(1, 'r2'), wait(7), say('abort'), rolledBack],
  }),
  deployment({
    name: 'gd-post-in-place',
    title:
      'Row 44: the hook after an update in place is asked when the restart is proven; the rollout is completed when all have succeeded',
    spec: { replicas: 3, ...AFTER },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-post-in-place-retried',
    title: 'One that fails stops further updates, not scaling, until it is asked again (decision 37)',
    spec: { replicas: 3, ...AFTER },
    gate: firstFails,
    isUndisturbed: true,
    play: [template('r2'), blocked('PostInplaceHookFailed'), scale(4), wait(20), retryGates, completed],
  }),
  deployment({
    name: 'gd-post-in-place-skipped',
    title: 'One that fails is passed by a word about its pod; the others are asked as always',
    spec: { replicas: 3, ...AFTER },
    gate: firstFails,
    isUndisturbed: true,
    play: [template('r2'), told('PostInplaceHookFailed'), saySkipOf('r2'), completed],
  }),
  deployment({
    name: 'gd-post-in-place-aborted',
    title: 'One that fails is no obstacle to an abort: all go back, and ask the hook again',
    spec: { replicas: 3, ...AFTER },
    gate: firstFails,
    isUndisturbed: true,
    play: [template('r2'), told('PostInplaceHookFailed'), say('abort'), rolledBack],
  }),
  deployment({
    name: 'gd-post-in-place-canary',
    title: 'A canary step is done when the hooks of its pods have succeeded',
    spec: {
      replicas: 3,
      updateStrategy: canary([{ partition: 2 }, { pause: {} }]),
      postInplaceUpdateStrategy: DRAIN,
    },
    play: [template('r2'), updating(1), pausedAt(1), say('resume'), completed],
  }),
  deployment({
    name: 'gd-canary-hook-aborts',
    title: 'A hook step with onFailure: abort waits for nobody; retry starts again at step 0',
    spec: { replicas: 3, updateStrategy: canary([{ partition: 2 }, { ...DRAIN, onFailure: 'abort' }]) },
    stepHook: (attempt) => (attempt === 1 ? 'Failed' : 'Successful'),
    play: [template('r2'), pods(1, 'r2'), rolledBack, say('retry'), completed],
  }),
  set({
    name: 'gsts-hooks-in-place',
    title: 'A set asks before and after each update in place, ordinal by ordinal',
    spec: { ...ORDERED, preInplaceUpdateStrategy: DRAIN, postInplaceUpdateStrategy: DRAIN },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-post-in-place-retried',
    title: 'A set whose hook after an update fails updates no lower ordinal until a retry has succeeded',
    spec: { ...ORDERED, replicas: 3, postInplaceUpdateStrategy: DRAIN },
    gate: firstFails,
    isUndisturbed: true,
    play: [template('r2'), blocked('PostInplaceHookFailed'), wait(20), retryGates, completed],
  }),
];
