/** Nonsense in canary steps and in the gates of pods. */
import type { Nonsense } from './nonsense.ts';
import { type Manifest, makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const STEPS = 'spec.updateStrategy.canary.steps';

const withSteps = (...steps: unknown[]) => ({
  object: makeGameDeployment,
  spoil: (spec: Manifest['spec']) => (spec.updateStrategy.canary = { steps }),
});

export const NONSENSE_IN_STEPS: readonly Nonsense[] = [
  {
    name: 'a canary without steps',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.canary = {}),
    wantPath: STEPS,
  },
  {
    name: 'a step that does nothing',
    ...withSteps({ pause: {} }, {}),
    wantPath: `${STEPS}[1]`,
    wantMessage: 'at least one of partition, pause',
  },
  {
    name: 'a step that does nothing, of a GameStatefulSet',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.updateStrategy.canary = { steps: [{}] }),
    wantPath: `${STEPS}[0]`,
    wantMessage: 'at least one of partition, pause',
  },
  {
    name: 'a step whose partition is no percentage',
    ...withSteps({ partition: 'half' }),
    wantPath: `${STEPS}[0].partition`,
    wantMessage: 'a percentage from 0% to 100%',
  },
  {
    name: 'a pause that ends before it begins',
    ...withSteps({ pause: { duration: -1 } }),
    wantPath: `${STEPS}[0].pause.duration`,
  },
  {
    name: 'a pause with a unit',
    ...withSteps({ pause: { duration: '60s' } }),
    wantPath: `${STEPS}[0].pause.duration`,
  },
  {
    name: 'a hook without a template',
    ...withSteps({ hook: {} }),
    wantPath: `${STEPS}[0].hook.templateName`,
  },
  {
    name: 'a hook whose argument has no value',
    ...withSteps({ hook: { templateName: 'drained', args: [{ name: 'map' }] } }),
    wantPath: `${STEPS}[0].hook.args[0].value`,
  },
  {
    name: 'a gate without a template',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.preDeleteUpdateStrategy = { hook: {} }),
    wantPath: 'spec.preDeleteUpdateStrategy.hook.templateName',
  },
  {
    name: 'a gate whose deadline is over at once',
    object: makeGameDeployment,
    spoil: (spec) => (spec.preInplaceUpdateStrategy = { hook: { templateName: 'drained', activeDeadlineSeconds: 0 } }),
    wantPath: 'spec.preInplaceUpdateStrategy.hook.activeDeadlineSeconds',
  },
];
