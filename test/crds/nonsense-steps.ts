/** Nonsense in canary steps and in the gates of pods. */
import type { Nonsense } from './nonsense.ts';
import { makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const STEPS = 'spec.updateStrategy.canary.steps';
const SOMETHING = 'at least one of partition, pause';

/** A GameDeployment with one wrong step; `path` is the field below it. */
function wrongStep(name: string, step: unknown, path: string, wantMessage?: string): Nonsense {
  return { name, object: makeGameDeployment, set: { [STEPS]: [step] }, wantPath: `${STEPS}[0]${path}`, wantMessage };
}

export const NONSENSE_IN_STEPS: readonly Nonsense[] = [
  {
    name: 'a canary without steps',
    object: makeGameDeployment,
    set: { 'spec.updateStrategy.canary': {} },
    wantPath: STEPS,
  },
  {
    name: 'a second step that does nothing',
    object: makeGameStatefulSet,
    set: { [STEPS]: [{ pause: {} }, {}] },
    wantPath: `${STEPS}[1]`,
    wantMessage: SOMETHING,
  },
  wrongStep('a step that does nothing', {}, '', SOMETHING),
  wrongStep('a step whose partition is no percentage', { partition: 'half' }, '.partition', 'from 0% to 100%'),
  wrongStep('a pause that ends before it begins', { pause: { duration: -1 } }, '.pause.duration'),
  wrongStep('a pause with a unit', { pause: { duration: '60s' } }, '.pause.duration'),
  wrongStep('onFailure without a hook', { pause: {}, onFailure: 'abort' }, '.onFailure', 'needs a hook'),
  wrongStep('a failure that is ignored', { hook: { templateName: 'drained' }, onFailure: 'ignore' }, '.onFailure'),
  wrongStep('a hook without a template', { hook: {} }, '.hook.templateName'),
  wrongStep('a hook with an empty template', { hook: { templateName: '' } }, '.hook.templateName'),
  wrongStep(
    'a hook whose argument has no value',
    { hook: { templateName: 'drained', args: [{ name: 'map' }] } },
    '.hook.args[0].value',
  ),
  {
    name: 'a gate without a template',
    object: makeGameStatefulSet,
    set: { 'spec.preDeleteUpdateStrategy.hook': {} },
    wantPath: 'spec.preDeleteUpdateStrategy.hook.templateName',
  },
  {
    name: 'a gate whose deadline is over at once',
    object: makeGameDeployment,
    set: { 'spec.preInplaceUpdateStrategy.hook': { templateName: 'drained', activeDeadlineSeconds: 0 } },
    wantPath: 'spec.preInplaceUpdateStrategy.hook.activeDeadlineSeconds',
  },
  {
    name: 'a gate retried by text',
    object: makeGameDeployment,
    set: { 'spec.postInplaceUpdateStrategy.retry': 'true' },
    wantPath: 'spec.postInplaceUpdateStrategy.retry',
  },
];
