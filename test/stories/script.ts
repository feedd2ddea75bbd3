/** The vocabulary of scripts. Pods are named by their place: a set's by ordinal, others from the oldest on, from 0. */

import { NODE_LOST_ANNOTATION } from '../../core/keys.ts';
import { conditionAt, withCondition } from '../../core/model/api.ts';
import { indexOf, withIndex } from '../../core/pod-index.ts';
import { revisionOf } from '../../core/pods.ts';
import type { HumanVerb } from '../../core/rollout/types.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Actor } from './actor.ts';
import type { Act } from './story.ts';

type Spec = GameWorkload['spec'];

/** Another template; the world of the model has those of r1 to r6 (core/model/world.ts). */
export const template = (revision: string): Act => ({
  text: `template ${revision}`,
  by: 'user',
  act: (actor) => actor.setTemplate(revision),
});

export const edit = (text: string, change: (spec: Spec) => object): Act => ({
  text,
  by: 'user',
  act: (actor) => actor.rewrite(change),
});

export const scale = (replicas: number): Act => edit(`replicas ${replicas}`, () => ({ replicas }));

/** Fields of updateStrategy. */
export const strategy = (text: string, fields: object): Act =>
  edit(text, ({ updateStrategy }) => ({ updateStrategy: { ...updateStrategy, ...fields } }));

export const rollingUpdate = (text: string, fields: object): Act =>
  edit(text, ({ updateStrategy = {} }) => {
    const before = 'rollingUpdate' in updateStrategy ? updateStrategy.rollingUpdate : {};
    return { updateStrategy: { ...updateStrategy, rollingUpdate: { ...before, ...fields } } };
  });

export const annotate = (text: string, annotations: Record<string, string>): Act => ({
  text,
  by: 'user',
  act: (actor) => actor.annotate(annotations),
});

/** A message to the rollout; its answer is in the trace. */
export const say = (verb: HumanVerb): Act => ({
  text: verb,
  by: 'person',
  act: (actor) => actor.desk.say(verb, actor.nowMs),
});

/** A word about the hooks of the first pod of this revision. */
export const saySkipOf = (revision: string): Act => ({
  text: `skip the hook of a pod of ${revision}`,
  by: 'person',
  act: (actor) => actor.desk.say('skip', actor.nowMs, { pod: podAt(actor, 0, revision)?.metadata.name ?? '' }),
});

/** `spec.*.retry` and the message do the same to gates of pods. */
export const retryGates: Act = {
  text: 'retry the gates',
  by: 'person',
  act: (actor) => actor.desk.decideGates('retry', actor.nowMs),
};

function podAt(actor: Actor, place: number, revision?: string): Pod | undefined {
  const pods = actor.active().filter((pod) => revision === undefined || revisionOf(pod) === revision);
  return actor.kind === 'GameStatefulSet' ? actor.api.pods.get(`lobby-${place}`) : pods[place];
}

/** Somebody does something to one pod; without a pod at that place nothing happens. */
function toPod(
  text: string,
  place: number,
  change: (pod: Pod, actor: Actor) => Pod | undefined,
  revision?: string,
): Act {
  return {
    text,
    by: 'world',
    act: (actor) => {
      const pod = podAt(actor, place, revision);
      if (pod !== undefined) actor.strike(pod.metadata.name, (found) => change(found, actor));
      return pod?.metadata.name;
    },
  };
}

export const kubectlDelete = (place: number, revision?: string): Act =>
  toPod(
    'kubectl delete pod',
    place,
    (pod, { nowMs }) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: new Date(nowMs).toISOString() },
    }),
    revision,
  );

export const evict = (place: number, revision?: string): Act =>
  toPod(
    'evicted, left as Failed',
    place,
    (pod, { nowMs }) => {
      const failed = withCondition(pod, conditionAt('Ready', 'False', nowMs));
      return { ...failed, status: { ...failed.status, phase: 'Failed', reason: 'Evicted' } };
    },
    revision,
  );

/** Somebody changes its labels: it is not ours any more (the watch shows it as gone). */
export const release = (place: number): Act => toPod('gets other labels and is released', place, () => undefined);

/** A ready pod of r1 that fits the selector and belongs to nobody is adopted. */
export const adopt = (name: string): Act => ({
  text: `adopts ${name}`,
  by: 'world',
  act: (actor) => actor.placePod(name),
});

/** A create that was given up lands after all: a second pod with the index of the one at this place. */
export const lateTwin = (place: number): Act => ({
  text: 'a create that was given up lands with an index that another pod has',
  by: 'world',
  act: (actor) => {
    const twin = podAt(actor, place);
    const index = twin === undefined ? undefined : indexOf(twin);
    actor.placeLatePod('lobby-late');
    actor.strike('lobby-late', (pod) => withIndex(pod, index === undefined ? {} : { index }));
    return index;
  },
});

export const allowForce = (place: number): Act =>
  toPod(`annotated ${NODE_LOST_ANNOTATION}`, place, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [NODE_LOST_ANNOTATION]: 'true' } },
  }));

export const loseNode = (node: string, isGone = false): Act => ({
  text: isGone ? `node ${node} is gone` : `node ${node} is not Ready`,
  by: 'world',
  act: (actor) => actor.loseNode(node, isGone),
});

/** The garbage collector of the cluster takes the pods of a node that is gone. */
export const collectPods = (node: string): Act => ({
  text: `pods of node ${node} are collected`,
  by: 'world',
  act: (actor) => {
    const lost = [...actor.api.pods.values()].filter(({ spec }) => spec.nodeName === node);
    for (const { metadata } of lost) actor.strike(metadata.name, () => undefined);
  },
});

export const findNode = (node: string): Act => ({
  text: `node ${node} is Ready again`,
  by: 'world',
  act: (actor) => actor.findNode(node),
});

export const refuseCreates: Act = {
  text: 'the quota is used up',
  by: 'world',
  act: ({ api }) => {
    api.admitsPods = false;
  },
};

export const admitCreates: Act = {
  text: 'the quota is raised',
  by: 'world',
  act: ({ api }) => {
    api.admitsPods = true;
  },
};

/** Marks pods for deletion by name, as the user reads it from kubectl. */
export const listToDelete = (...places: number[]): Act => ({
  text: 'scaleStrategy.podsToDelete',
  by: 'user',
  act: (actor) => {
    const podsToDelete = places.flatMap((place) => podAt(actor, place)?.metadata.name ?? []);
    actor.rewrite(({ scaleStrategy }) => ({ scaleStrategy: { ...scaleStrategy, podsToDelete } }));
    return podsToDelete.join(', ');
  },
});

export const wait = (seconds: number): Act => ({ text: `${seconds} s`, seconds });

export const calm: Act = { text: 'nothing is left to do', until: (actor) => actor.isCalm() };

export const completed: Act = {
  text: 'the rollout is completed',
  until: (actor) => {
    const { rollout, stableRevision } = actor.desk.state;
    return rollout?.isOpen === false && stableRevision === actor.template && actor.isCalm();
  },
};

/** Paused at this step, and all that the pause allows is done. */
export const pausedAt = (step: number): Act => ({
  text: `paused at step ${step}`,
  until: (actor) => {
    const { view, toRevision } = actor.desk.state.rollout ?? {};
    const isThere = view?.phase === 'Paused' && view.stepIndex === step && toRevision === actor.template;
    return isThere && actor.isCalm();
  },
});

export const rolledBack: Act = {
  text: 'all pods are back',
  until: (actor) => {
    const { stableRevision } = actor.desk.state;
    return actor.isCalm() && actor.active().every((pod) => revisionOf(pod) === stableRevision);
  },
};

/** At least so many pods are in the middle of an update in place. */
export const updating = (count: number): Act => ({
  text: `${count} on its way`,
  until: (actor) => actor.truth().counts.updating >= count,
});

/** At least so many pods have this revision, in service or not. */
export const pods = (count: number, revision: string): Act => ({
  text: `${count} of ${revision}`,
  until: (actor) => actor.active().filter((pod) => revisionOf(pod) === revision).length >= count,
});

/** The rollout has heard of it: before that a word of a person about it is refused. */
export const told = (reason: string): Act => ({
  text: `the rollout knows of ${reason}`,
  until: (actor) => actor.desk.rollout?.state.blocked?.reason === reason,
});

export const stableAt = (revision: string): Act => ({
  text: `stable is ${revision}`,
  until: (actor) => actor.desk.state.stableRevision === revision,
});

export const blocked = (reason: string): Act => ({
  text: `blocked by ${reason}`,
  until: (actor) => actor.truth().blockers.some((blocker) => blocker.reason === reason),
});

export const eachHasItsIndex: Act = {
  text: 'each pod has an index of its own',
  until: (actor) => {
    const indexes = actor.active().map(indexOf);
    return !indexes.includes(undefined) && new Set(indexes).size === indexes.length;
  },
};
