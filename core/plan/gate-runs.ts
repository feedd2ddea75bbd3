/** The HookRun that a mark on a pod names, as it is created. Pure. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type BuiltHookRun, buildHookRun } from '../hooks/hook-run.ts';
import { instanceIdOf, revisionOf } from '../pods.ts';
import { builtInsOf, gateOfMark, hookOf } from './pod-hooks.ts';
import type { Mark, Revision } from './types.ts';

interface GateRunSources {
  workload: GameWorkload;
  template: HookTemplate;
  revisions: readonly Revision[];
}

/** Undefined where the workload has no such hook. A mark that is repeated keeps the name it was given, whatever the spec says by now. */
export function gateRunOf(pod: Pod, mark: Mark, sources: GateRunSources): BuiltHookRun | undefined {
  const { workload, template, revisions } = sources;
  const gate = gateOfMark(mark);
  const step = hookOf(workload, gate);
  if (step === undefined) return undefined;
  const built = buildHookRun({
    template,
    step,
    owner: workload,
    purpose: {
      type: 'gate',
      gate,
      podRevision: revisionOf(pod),
      instanceId: instanceIdOf(pod),
      podUid: pod.metadata.uid ?? '',
      attempt: mark.attempt,
    },
    builtIns: builtInsOf(pod, mark, revisions),
  });
  if ('unresolved' in built) return built;
  const { hookRun, dropped } = built;
  return { hookRun: { ...hookRun, metadata: { ...hookRun.metadata, name: mark.hookRun } }, dropped };
}
