/**
 * Observe and moves against a real apiserver with kwok as kubelet, driven as the workload's workflow drives them but
 * without Temporal: what is read and written here is what is read and written in production.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Lanes } from '../../activities/lanes.ts';
import { runMoves } from '../../activities/moves.ts';
import { observe } from '../../activities/observe.ts';
import type { Ports } from '../../activities/ports.ts';
import { recordRevision } from '../../activities/revisions.ts';
import type { MoveRequest, MoveResult, Observation, PlanContext } from '../../activities/types.ts';
import type { Allowance, Move } from '../../core/plan/types.ts';
import { issueNames, raiseFence, takeOutcomes } from '../../core/workload/bookkeeping.ts';
import { newWorkloadState } from '../../core/workload/state.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { gameDeployments, pods } from '../../kubernetes/resource-types.ts';
import { startWatching, type Watching } from '../../workers/stores.ts';
import { anAttempt } from '../support/pod-scene.ts';
import { NAMESPACE } from './workloads.ts';

const GENERATED = resolve(import.meta.dirname, '../../crds/generated');
const MOST_WAVES = 100;
const execute = promisify(execFile);

export async function startClusterWithNodes(): Promise<Devstack> {
  const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
  const stack = await startDevstack({ components, nodes: 3 });
  const kubectl = (...args: string[]) => execute(stack.binaries.kubectl, ['--kubeconfig', stack.kubeconfig, ...args]);
  await kubectl('apply', '-f', GENERATED);
  await kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
  return stack;
}

/** The ports of one process: a client, and stores that follow the apiserver through it. */
export interface Engine {
  client: KubernetesClient;
  ports: Ports;
  stop(): Promise<void>;
}

export async function startEngine(kubeconfigPath: string): Promise<Engine> {
  const client = createKubernetesClient({ kubeconfigPath });
  const watching: Watching = startWatching({ client, onProblem: () => undefined, onError: () => undefined });
  await watching.whenSynced(AbortSignal.timeout(30_000));
  const ports: Ports = {
    client,
    stores: watching.stores,
    nowMs: Date.now,
    monotonicMs: () => performance.now(),
    lanes: new Lanes(),
    gatesInHand: new Set(),
    newSeed: () => randomBytes(8).toString('hex'),
    log: { info: () => undefined, warn: () => undefined },
    metrics: { moveEnded: () => undefined, planMade: () => undefined },
  };
  return {
    client,
    ports,
    async stop() {
      await watching.stop();
      await client.close();
    },
  };
}

/** One workload as its workflow would carry it along. */
export class Driver {
  readonly state = newWorkloadState();
  readonly #engine: Engine;
  readonly #name: string;
  allowance: Allowance | null = null;

  constructor(engine: Engine, name: string) {
    this.#engine = engine;
    this.#name = name;
  }

  /** Changes the object as a user does; the next look has seen it. */
  async edit(spec: object): Promise<void> {
    const { namespace, name } = this.#key;
    const edited = await this.#engine.client.patch(gameDeployments, { namespace, name }, mergePatch({}, { spec }));
    raiseFence(this.state, { [gameDeployments.plural]: edited.metadata.resourceVersion! });
  }

  /** Observes, records the revision where it is missing, and lets pods follow the template as far as the spec says. */
  async look(): Promise<Observation> {
    const { state } = this;
    for (;;) {
      const seen = await observe(this.#engine.ports, this.#observeRequest(), anAttempt());
      const { uid, unresolved, issued } = seen;
      if (state.uid !== '' && uid !== state.uid) return seen;
      Object.assign(state, { uid, unresolved, issued, needsQuorum: false });
      if (seen.gone || seen.deleting) return seen;
      if (seen.updateRevision === null) await this.#record();
      else if (!this.#follow(seen, seen.updateRevision)) return seen;
    }
  }

  /** Looks and moves until everything that the allowance permits is done. @throws Error after too many waves. */
  async settle(): Promise<Observation> {
    let seen: Observation | undefined;
    for (let wave = 0; wave < MOST_WAVES; wave += 1) {
      seen = await this.look();
      const isDone = seen.reached && seen.moves.length === 0 && !seen.inTransition;
      if (isDone || seen.gone) return seen;
      if (seen.moves.length > 0) await this.move(seen);
    }
    throw new Error(`${this.#name} did not settle in ${MOST_WAVES} waves; last seen: ${JSON.stringify(seen)}`);
  }

  async move({ moves, asOfMs }: Pick<Observation, 'moves' | 'asOfMs'>, attempt = anAttempt()): Promise<MoveResult> {
    const { state } = this;
    issueNames(state, moves);
    const result = await runMoves(this.#engine.ports, this.moveRequest(moves, asOfMs), attempt);
    takeOutcomes(state, moves, [result]);
    return result;
  }

  moveRequest(items: Move[], asOfMs: number): MoveRequest {
    const { uid, fence, updateRevision, stableRevision } = this.state;
    return { key: this.#key, uid, context: this.#context(), fence, updateRevision, stableRevision, items, asOfMs };
  }

  async pods(): Promise<Pod[]> {
    const { items } = await this.#engine.client.list(pods, {
      namespace: NAMESPACE,
      labelSelector: `app=${this.#name}`,
    });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async #record(): Promise<void> {
    const request = { key: this.#key, uid: this.state.uid, fence: this.state.fence };
    const ports = { ...this.#engine.ports, recorder: { record: () => undefined } };
    raiseFence(this.state, (await recordRevision(ports, request, anAttempt())).written);
  }

  /** True where the allowance is a new one, so that the observation was made under an old one. */
  #follow({ generation, triggers, firstCreation }: Observation, revision: string): boolean {
    const { state } = this;
    Object.assign(state, { handled: { generation, triggers }, updateRevision: revision });
    if (state.stableRevision === '' || firstCreation) state.stableRevision = revision;
    const isNew = this.allowance?.revision !== revision;
    this.allowance = { revision, partition: 'spec', paused: false };
    return isNew;
  }

  get #key() {
    return { kind: 'GameDeployment', namespace: NAMESPACE, name: this.#name } as const;
  }

  #context(): PlanContext {
    const { stableRevision, unresolved, issued, backOff, gates } = this.state;
    const stable = stableRevision === '' ? {} : { stableRevision };
    return { ...stable, allowance: this.allowance, unresolved, issued, backOff, gates };
  }

  #observeRequest() {
    const { uid, fence, needsQuorum: quorum, handled } = this.state;
    const known = uid === '' ? {} : { uid };
    const told = { toldReached: false, toldBlocked: '' };
    return { key: this.#key, ...known, context: this.#context(), fence, quorum, handled, ...told };
  }
}
