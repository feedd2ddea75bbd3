/**
 * What a manifest may ask for and this release does not do. Such an object is accepted and told so in its Ready condition;
 * pretending would be worse: a person relies on what the spec says. Shrinks with each release.
 */
import type { GameWorkload } from '../crds/game-workload.ts';
import type { HookStep } from '../crds/hook-step.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';

const PREWARM_ANNOTATION = 'imageloader.webhook.bkbcs.tencent.com';

/** The field that asks for too much, and the sentence that says so. */
export interface NotImplemented {
  path: string;
  message: string;
}

/** The first field or annotation that asks for something that no planner does. */
export function notImplementedField(workload: GameWorkload): NotImplemented | null {
  return annotationOf(workload);
}

/** The first hook of the spec whose template has a provider that is not there; it is never run. */
export function notImplementedHook(
  { spec }: GameWorkload,
  templates: Record<string, HookTemplate>,
): NotImplemented | null {
  const steps = spec.updateStrategy?.canary?.steps ?? [];
  const uses: [string, HookStep | undefined][] = [
    ['spec.preDeleteUpdateStrategy.hook', spec.preDeleteUpdateStrategy?.hook],
    ['spec.preInplaceUpdateStrategy.hook', spec.preInplaceUpdateStrategy?.hook],
    ['spec.postInplaceUpdateStrategy.hook', spec.postInplaceUpdateStrategy?.hook],
    ...steps.map(({ hook }, index): [string, HookStep | undefined] => [
      `spec.updateStrategy.canary.steps[${index}].hook`,
      hook,
    ]),
  ];
  return uses.map(([path, hook]) => providerOf(path, hook, templates)).find((found) => found !== null) ?? null;
}

function providerOf(
  path: string,
  hook: HookStep | undefined,
  templates: Record<string, HookTemplate>,
): NotImplemented | null {
  const metrics = templates[hook?.templateName ?? '']?.spec.metrics ?? [];
  const index = metrics.findIndex(({ provider }) => provider.exec !== undefined);
  if (index < 0) return null;
  return refusal(path, `HookTemplate ${hook?.templateName} has spec.metrics[${index}].provider.exec`);
}

const refusal = (path: string, value?: unknown): NotImplemented => ({
  path,
  message: `This version of Holdfast does not implement ${path}${value === undefined ? '' : `: ${value}`}; nothing is updated until it is taken out.`,
});

const unless = (isDone: boolean, path: string, value?: unknown) => (isDone ? null : refusal(path, value));

function annotationOf({ metadata: { annotations = {} } }: KubernetesObject): NotImplemented | null {
  return unless(annotations[PREWARM_ANNOTATION] === undefined, `metadata.annotations["${PREWARM_ANNOTATION}"]`);
}
