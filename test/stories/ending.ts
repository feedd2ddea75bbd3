/** What a story comes to, whatever the order in which things happened on the way. */
import { isReady } from '../../core/pods.ts';
import type { Actor } from './actor.ts';

/** Which pods there are in the end, and how far the rollout went. */
export function endingOf(actor: Actor): string[] {
  const pods = actor.active().map((pod) => {
    const name = actor.kind === 'GameStatefulSet' ? pod.metadata.name : 'a pod';
    const images = pod.spec.containers.map(({ image }) => image).join(' and ');
    const revision = pod.metadata.labels?.['controller-revision-hash'];
    return `${name} of ${revision} with ${images}${isReady(pod) ? '' : ', not ready'}`;
  });
  const { rollout: link, stableRevision } = actor.desk.state;
  const view = link?.view;
  const rollout = view == null ? 'no rollout' : `rollout ${view.phase} at step ${view.stepIndex} of ${view.stepCount}`;
  return [...pods.sort(), `stable is ${stableRevision}`, rollout];
}
