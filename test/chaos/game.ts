/**
 * One workload of either kind under chaos: how it is made and changed, as a user does it, and how its end is judged. Reads the
 * object, its pods and the result of its rollout; never asks the controller.
 */
import { REVISION_LABEL } from '../../core/keys.ts';
import type { RolloutResult } from '../../core/rollout/types.ts';
import { API_VERSION } from '../../crds/api.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { rolloutId, workloadId } from '../../workflows/ids.ts';
import { eventually } from '../support/eventually.ts';
import type { ChaosScene } from './chaos-scene.ts';
import { FIRST_PARTITION, type GameVariant, gameManifest, hookTemplates, NAME, REPLICAS } from './game-manifests.ts';

const GROUP = `/apis/${API_VERSION}`;
/** A kill costs the ten seconds of a heartbeat timeout, and a start on a busy machine as much again. */
const PATIENT = { timeoutMs: 240_000, intervalMs: 500 };

export class Game {
  readonly namespace: string;
  replicas: number;
  readonly #scene: ChaosScene;
  readonly #variant: GameVariant;
  /** Until then nothing moves beyond the first partition. */
  #resumedAtMs = Number.POSITIVE_INFINITY;

  constructor(scene: ChaosScene, namespace: string, variant: GameVariant) {
    this.#scene = scene;
    this.namespace = namespace;
    this.replicas = variant.replicas ?? REPLICAS;
    this.#variant = variant;
    if (variant.strategy?.canary === undefined)
      scene.knowPartition(`${namespace}/${NAME}`, (atMs) => (atMs < this.#resumedAtMs ? FIRST_PARTITION : undefined));
  }

  get workloadId(): string {
    return workloadId(this.#key);
  }

  get rolloutId(): string {
    return rolloutId(this.#key);
  }

  get #key() {
    const { kind = 'GameDeployment' } = this.#variant;
    return { kind, namespace: this.namespace, name: NAME };
  }

  get #path(): string {
    return `${this.#collection}/${NAME}`;
  }

  get #collection(): string {
    return `${GROUP}/namespaces/${this.namespace}/${this.#key.kind.toLowerCase()}s`;
  }

  async create(): Promise<void> {
    const { namespace } = this;
    const { origin } = this.#scene.target;
    await this.#call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    for (const template of hookTemplates(namespace, origin, this.#variant))
      await this.#call('POST', `${GROUP}/namespaces/${namespace}/hooktemplates`, template);
    await this.#call('POST', this.#collection, gameManifest(namespace, this.#variant));
  }

  /** The new image of the game, as `kubectl set image` writes it. */
  async setImage(tag: number | string): Promise<void> {
    const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: `game:${tag}` }];
    await this.#call('PATCH', this.#path, image, 'application/json-patch+json');
  }

  async scale(replicas: number): Promise<void> {
    this.replicas = replicas;
    await this.#call('PATCH', this.#path, { spec: { replicas } });
  }

  /** As a script of before ends a pause: `kubectl patch … paused: false`. */
  async lift(): Promise<void> {
    this.#resumedAtMs = Math.min(this.#resumedAtMs, Date.now());
    await this.#call('PATCH', this.#path, { spec: { updateStrategy: { paused: false } } });
  }

  async pause(): Promise<void> {
    await this.#call('PATCH', this.#path, { spec: { updateStrategy: { paused: true } } });
  }

  /** As `kubectl drain` asks for it. */
  async evict({ metadata: { name, namespace } }: Pod): Promise<void> {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    await this.#call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, eviction);
  }

  /** Types the command that the Paused condition prints; without the step where a person leaves it out. */
  async resume(step?: number): Promise<void> {
    this.#resumedAtMs = Math.min(this.#resumedAtMs, Date.now());
    const input = JSON.stringify({ step, by: 'chaos' });
    await this.#scene.temporal('workflow', 'signal', '-w', this.rolloutId, '--name', 'resume', '--input', input);
  }

  /** The same as an update. @throws Error with the refusal. */
  async askToResume(step?: number): Promise<void> {
    const input = JSON.stringify({ step, by: 'chaos' });
    await this.#scene.temporal(
      ...['workflow', 'update', 'execute', '-w', this.rolloutId, '--name', 'resume', '--input', input],
    );
  }

  /** Takes the object away and waits until its workflow has ended: the next controller need not replay it. */
  async retire(): Promise<void> {
    await this.#call('DELETE', this.#path);
    const handle = this.#scene.client.workflow.getHandle(this.workloadId);
    await eventually(`the workflow of ${this.namespace} has ended`, () => endOf(handle).then(() => true), PATIENT);
    await this.#call('DELETE', `/api/v1/namespaces/${this.namespace}/pods`);
  }

  async read(): Promise<GameWorkload> {
    return (await this.#call('GET', this.#path)) as GameWorkload;
  }

  async pods(): Promise<Pod[]> {
    const body = await this.#call('GET', `/api/v1/namespaces/${this.namespace}/pods`);
    return (body as { items: Pod[] }).items;
  }

  async readyPods(): Promise<Pod[]> {
    return (await this.pods()).filter(isReady);
  }

  async hookRuns(): Promise<HookRun[]> {
    const body = await this.#call('GET', `${GROUP}/namespaces/${this.namespace}/hookruns`);
    return (body as { items: HookRun[] }).items;
  }

  /** As many ready pods as asked for, all with this image. */
  async hasPods(tag: number | string): Promise<void> {
    const probe = async () => {
      const pods = await this.pods();
      if (pods.length === this.replicas && pods.every((pod) => isReadyAt(pod, `game:${tag}`))) return pods;
      throw new Error(pods.map(sayPod).join('; '));
    };
    await eventually(`${this.namespace} is up with game:${tag}`, probe, PATIENT);
  }

  /** The same, and the status says so. */
  async isUp(tag: number | string = 1): Promise<Pod[]> {
    await this.hasPods(tag);
    await this.isSeen('is settled', ({ status }) => isSettled(status, this.replicas));
    return await this.pods();
  }

  isSeen(what: string, until: (game: GameWorkload) => boolean): Promise<GameWorkload> {
    const probe = async () => {
      const game = await this.read();
      return until(game) ? game : Promise.reject(new Error(JSON.stringify(game.status)));
    };
    return eventually(`${this.namespace} ${what}`, probe, PATIENT) as Promise<GameWorkload>;
  }

  isPausedAt(step: number): Promise<GameWorkload> {
    return this.isSeen(`is paused at step ${step}`, ({ status }) => {
      const isPaused = status?.pauseConditions?.some(({ reason }) => reason === 'PausedByCanaryPauseStep');
      return isPaused === true && status?.currentStepIndex === step;
    });
  }

  /** The result of the present or last rollout; of one that is killed many times after a longer patience. */
  async result(timeoutMs = PATIENT.timeoutMs): Promise<RolloutResult> {
    const handle = this.#scene.client.workflow.getHandle(this.rolloutId);
    const result = await eventually(`the rollout of ${this.namespace} has ended`, () => endOf(handle), {
      ...PATIENT,
      timeoutMs,
    });
    return result as RolloutResult;
  }

  async #call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    contentType?: string,
  ): Promise<unknown> {
    const answer = await this.#scene.stack.api(method, path, body, contentType);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

interface Ending {
  describe(): Promise<{ status: { name: string } }>;
  result(): Promise<unknown>;
}

/** A probe that does not hang on a server that is being restarted. */
async function endOf(handle: Ending): Promise<unknown> {
  const { status } = await handle.describe();
  if (status.name === 'RUNNING') throw new Error('it runs');
  return await handle.result();
}

const containerOf = (pod: Pod) => pod.status?.containerStatuses?.[0];

export const restartsOf = (pods: readonly Pod[]): number[] => pods.map((pod) => containerOf(pod)?.restartCount ?? -1);

export const revisionsOf = (pods: readonly Pod[]): string[] => [
  ...new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? '')),
];

const sayPod = ({ metadata, spec, status }: Pod): string => {
  const conditions = status?.conditions?.map(({ type, status: value, reason }) => `${type}=${value}/${reason}`);
  return `${metadata.name} ${metadata.deletionTimestamp ?? ''} ${spec.containers[0]?.image} ${status?.phase} ${conditions}`;
};

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

const isReadyAt = (pod: Pod, image: string): boolean => isReady(pod) && pod.spec.containers[0]?.image === image;

const isSettled = (status: GameWorkload['status'], replicas: number): boolean =>
  status?.moving === false && status.availableReplicas === replicas && status.currentRevision === status.updateRevision;
