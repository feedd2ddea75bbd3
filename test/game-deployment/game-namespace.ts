/** One namespace and what people do and see in it: kubectl and the temporal CLI as they are typed, objects as they are read. */
import type { RolloutResult } from '../../core/rollout/types.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Condition, KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import type { GameScene, Said } from './scene.ts';

const GROUP = '/apis/tkex.tencent.com/v1alpha1';
/** Many stories share two processors. */
const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = 200;

export interface SeenEvent {
  reason: string;
  type: string;
  note: string;
  regarding: string;
  count: number;
}

/** `W` is the kind of workload that is meant where only a name is given. */
export class GameNamespace<W extends GameWorkload = GameDeployment> {
  readonly name: string;
  readonly scene: GameScene;
  /** As kubectl and workflow ids spell it. */
  readonly #kind: string;

  constructor(scene: GameScene, name: string, kind: W['kind'] = 'GameDeployment') {
    this.scene = scene;
    this.name = name;
    this.#kind = kind.toLowerCase();
  }

  /** The same namespace, where names mean GameStatefulSets. */
  get sets(): GameNamespace<GameStatefulSet> {
    return new GameNamespace(this.scene, this.name, 'GameStatefulSet');
  }

  /** Returns when its service account exists: without it the apiserver refuses pods. */
  async create(): Promise<void> {
    await this.scene.stack.api('POST', '/api/v1/namespaces', { metadata: { name: this.name } });
    const path = `/api/v1/namespaces/${this.name}/serviceaccounts/default`;
    await eventually(`service account in ${this.name}`, async () => (await this.#get(path)).status === 200);
  }

  /** @throws Error with what kubectl said. */
  async kubectl(...args: string[]): Promise<string> {
    return accepted('kubectl', args, await this.scene.kubectl(['-n', this.name, ...args]));
  }

  /** What kubectl says of something that must not be done. */
  async refusedKubectl(...args: string[]): Promise<string> {
    const said = await this.scene.kubectl(['-n', this.name, ...args]);
    if (said.code === 0) throw new Error(`kubectl ${args.join(' ')} was not refused: ${said.stdout}`);
    return said.stderr;
  }

  async apply(...manifests: object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: manifests };
    accepted(
      'kubectl',
      ['apply'],
      await this.scene.kubectl(['-n', this.name, 'apply', '-f', '-'], JSON.stringify(list)),
    );
  }

  /** kubectl patch of a workload by a merge patch. */
  async patch(name: string, patch: object): Promise<void> {
    await this.kubectl('patch', this.#kind, name, '--type=merge', '-p', JSON.stringify(patch));
  }

  /** kubectl as people change the image of a workload whose kind has no `kubectl set image`. */
  async setImage(name: string, image: string): Promise<void> {
    const [container] = (await this.workload(name)).spec.template.spec.containers;
    const containers = [{ ...container, image }];
    await this.patch(name, { spec: { template: { spec: { containers } } } });
  }

  workloadId(name: string): string {
    return `${this.#kind}/${this.name}/${name}`;
  }

  rolloutId(name: string): string {
    return `${this.workloadId(name)}/rollout`;
  }

  /** `temporal workflow signal`, as the Paused condition prints it. */
  async signal(id: string, verb: string, message?: object): Promise<void> {
    const input = message === undefined ? [] : ['--input', JSON.stringify(message)];
    const args = ['workflow', 'signal', '-w', id, '--name', verb, ...input];
    accepted('temporal', args, await this.#say(id, verb, args, message));
  }

  /** `temporal workflow update execute`: its answer, or the refusal that the CLI shows. */
  async update(id: string, verb: string, message?: object): Promise<Said> {
    const input = message === undefined ? [] : ['--input', JSON.stringify(message)];
    return this.#say(id, verb, ['workflow', 'update', 'execute', '-w', id, '--name', verb, ...input], message);
  }

  #say(id: string, verb: string, args: readonly string[], message: { pod?: string } = {}): Promise<Said> {
    const [, namespace, name] = id.split('/');
    const word = { workload: `${namespace}/${name}`, verb, pod: message.pod };
    return this.scene.say(word, () => this.scene.temporal(args));
  }

  /** The result of the newest rollout, once it is over. */
  async result(name: string): Promise<RolloutResult> {
    const handle = this.scene.temporalClient.workflow.getHandle(this.rolloutId(name));
    return eventually(`the rollout of ${name} is over`, () => handle.result() as Promise<RolloutResult>, {
      timeoutMs: PATIENCE_MS,
    });
  }

  async historyLength(id: string): Promise<number> {
    return (await this.scene.temporalClient.workflow.getHandle(id).describe()).historyLength;
  }

  async isOpen(id: string): Promise<boolean> {
    return (await this.scene.temporalClient.workflow.getHandle(id).describe()).status.name === 'RUNNING';
  }

  async workload(name: string): Promise<W> {
    return this.#read(`${GROUP}/namespaces/${this.name}/${this.#kind}s/${name}`);
  }

  async hookRuns(): Promise<HookRun[]> {
    return (await this.#read<{ items: HookRun[] }>(`${GROUP}/namespaces/${this.name}/hookruns`)).items;
  }

  async revision(name: string): Promise<KubernetesObject> {
    return this.#read(`/apis/apps/v1/namespaces/${this.name}/controllerrevisions/${name}`);
  }

  /** Pods that are not on their way out, by name. */
  async pods(): Promise<Pod[]> {
    const { items } = await this.#read<{ items: Pod[] }>(`/api/v1/namespaces/${this.name}/pods`);
    const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return staying.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /** Events of the namespace, those of one reason where one is asked for. */
  async events(reason?: string): Promise<SeenEvent[]> {
    const { items } = await this.#read<{ items: RawEvent[] }>(`/apis/events.k8s.io/v1/namespaces/${this.name}/events`);
    return items.map(readEvent).filter((event) => reason === undefined || event.reason === reason);
  }

  /** Waits for the event of this reason, which is written a moment after what it tells of. @throws Error when it is told twice. */
  async untilEvent(reason: string): Promise<SeenEvent> {
    const [event, ...others] = await this.eventually(`there is an event ${reason}`, async () => {
      const events = await this.events(reason);
      return events.length > 0 && events;
    });
    if (event === undefined || others.length > 0 || event.count > 1)
      throw new Error(`${reason} is told more than once`);
    return event;
  }

  /** Waits until the workload looks as it should. */
  async until(what: string, name: string, holds: (workload: W) => boolean): Promise<W> {
    const seen = await eventually<W | Glimpse>(
      `${this.name}/${name}: ${what}`,
      async () => {
        const workload = await this.workload(name);
        return holds(workload) ? workload : glimpse(workload);
      },
      { timeoutMs: PATIENCE_MS, intervalMs: LOOK_EVERY_MS, until: (value) => 'spec' in value },
    );
    return seen as W;
  }

  /** Waits until the condition has this reason, and answers its message. */
  async untilReason(name: string, type: string, reason: string): Promise<string> {
    const isThere = (workload: W) => isCurrent(workload) && conditionOf(workload, type)?.reason === reason;
    return conditionOf(await this.until(`${type} is ${reason}`, name, isThere), type)?.message ?? '';
  }

  /** Ready, at the spec of now. */
  async untilReady(name: string): Promise<W> {
    return this.until('it is Ready', name, (workload) => isCurrent(workload) && isTrue(workload, 'Ready'));
  }

  /** Waits until so many ready pods run the image, and so many run another one. */
  async untilPods(images: Record<string, number>): Promise<Pod[]> {
    const seen = await eventually(
      `${this.name}: ready pods are ${JSON.stringify(images)}`,
      async () => {
        const pods = await this.pods();
        const ready = countBy(pods.filter(isServing).map(imageOf));
        const isSo = sameCounts(ready, images) && pods.length === Object.values(images).reduce((a, b) => a + b, 0);
        return isSo ? pods : { ready, all: countBy(pods.map(imageOf)) };
      },
      { timeoutMs: PATIENCE_MS, intervalMs: LOOK_EVERY_MS, until: Array.isArray },
    );
    return seen as Pod[];
  }

  /** Waits until the object that has the name now controls so many ready pods, and answers them. */
  async untilOwned(name: string, count: number): Promise<Pod[]> {
    const { uid } = (await this.workload(name)).metadata;
    const isOwn = ({ metadata }: Pod) =>
      metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid);
    return (await this.eventually(`${count} ready pods are controlled by ${name}`, async () => {
      const own = (await this.pods()).filter(isOwn);
      return own.length === count && own.every(isServing) && own;
    })) as Pod[];
  }

  async eventually<T>(what: string, probe: () => T | Promise<T>) {
    return eventually(`${this.name}: ${what}`, probe, { timeoutMs: PATIENCE_MS, intervalMs: LOOK_EVERY_MS });
  }

  #get(path: string) {
    return this.scene.stack.api('GET', path);
  }

  async #read<T>(path: string): Promise<T> {
    const { status, body } = await this.#get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
    return body as T;
  }
}

export const conditionOf = ({ status }: GameWorkload, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (workload: GameWorkload, type: string): boolean => conditionOf(workload, type)?.status === 'True';

/** The status speaks of the spec of now. */
export const isCurrent = ({ metadata, status }: GameWorkload): boolean =>
  status?.observedGeneration === metadata.generation;

export const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';

export const uidsOf = (pods: Pod[]): string[] => pods.map(({ metadata }) => metadata.uid ?? '').sort();

export const restartsOf = ({ status }: Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;

/** Two lists of lives are equal where no pod was replaced and none restarted. */
export const livesOf = (pods: Pod[]): string[] => pods.map((pod) => `${pod.metadata.uid} ${restartsOf(pod)}`).sort();

const isPodReady = ({ status }: Pod): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';

/** Ready with the images that it has now: a kubelet that has yet to hear of new ones still says ready of the old ones. */
const isServing = (pod: Pod): boolean => isPodReady(pod) && pod.spec.containers.every((each) => runs(pod, each));

const runs = ({ status }: Pod, { name, image }: Pod['spec']['containers'][number]): boolean =>
  status?.containerStatuses?.find((container) => container.name === name)?.image === image;

/** What a test that gives up shows. */
interface Glimpse {
  status: unknown;
}

const glimpse = ({ status = {}, metadata }: GameWorkload): Glimpse => ({
  status: { ...status, generation: metadata.generation, conditions: status.conditions?.map(shortCondition) },
});

const shortCondition = ({ type, status, reason, message = '' }: Condition): string =>
  `${type}=${status}/${reason}: ${message.slice(0, 160)}`;

interface RawEvent {
  reason: string;
  type: string;
  note?: string;
  regarding?: { kind?: string; name?: string };
  series?: { count: number };
}

const readEvent = ({ reason, type, note = '', regarding, series }: RawEvent): SeenEvent => ({
  ...{ reason, type, note, count: series?.count ?? 1 },
  regarding: `${regarding?.kind}/${regarding?.name}`,
});

function countBy(values: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const sameCounts = (left: Record<string, number>, right: Record<string, number>): boolean =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => (left[key] ?? 0) === (right[key] ?? 0));

function accepted(program: string, args: readonly string[], { code, stdout, stderr }: Said): string {
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
