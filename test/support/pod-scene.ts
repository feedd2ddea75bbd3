/** A workload in an apiserver in memory, with the ports and requests that activities take. For unit tests. */
import type { Attempt } from '../../activities/attempt.ts';
import { Lanes } from '../../activities/lanes.ts';
import type { Ports } from '../../activities/ports.ts';
import type { MoveRequest, MoveResult, ObserveRequest, PlanContext } from '../../activities/types.ts';
import type { Move } from '../../core/plan/types.ts';
import type { GameDeployment, GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { OwnerReference, Pod } from '../../crds/kubernetes.ts';
import { FakeCluster } from './fake-cluster.ts';
import { aWorkload, NOW, templateOf } from './pods.ts';

export const KEY = { kind: 'GameDeployment', namespace: 'default', name: 'lobby' } as const;

export interface FakeAttempt extends Attempt {
  cancel(): void;
}

export function anAttempt(number = 1): FakeAttempt {
  const controller = new AbortController();
  return { number, signal: controller.signal, heartbeat: () => undefined, cancel: () => controller.abort() };
}

export class PodScene {
  readonly cluster = new FakeCluster();
  readonly workload: GameDeployment;
  readonly owner: OwnerReference;
  /** May be moved on by a test. */
  nowMs = NOW;
  /** Plans made so far. */
  plans = 0;
  monotonicMs: () => number = () => performance.now();
  readonly ports: Ports;
  #seeds = 0;

  /** Revisions r1 (stable) and r2 (what the spec asks for) are recorded, images `game:r1` and `game:r2`. */
  constructor(spec: Partial<GameDeploymentSpec> = {}) {
    this.workload = this.cluster.put('gamedeployments', aWorkload(spec));
    const { apiVersion, kind, metadata } = this.workload;
    const { name, uid = '' } = metadata;
    this.owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
    for (const [index, revision] of ['r1', 'r2'].entries()) this.#record(revision, index + 1);
    this.cluster.put('nodes', {
      metadata: { name: 'node-1' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    } as never);
    this.ports = {
      client: this.cluster,
      stores: this.cluster.stores,
      nowMs: () => this.nowMs,
      monotonicMs: () => this.monotonicMs(),
      newSeed: () => `seed-${++this.#seeds}`,
      lanes: new Lanes(),
      gatesInHand: new Set(),
      log: { info: () => undefined, warn: () => undefined },
      metrics: { moveEnded: () => undefined, planMade: () => this.plans++ },
    };
  }

  /** For good; attempts that wait for it have soon waited long enough. */
  losePodWatch(): void {
    this.cluster.stores.pods.health.disconnected();
    this.monotonicMs = () => performance.now() * 10;
  }

  /** From now on time goes by. */
  runClock(): void {
    const startedAt = performance.now();
    this.ports.nowMs = () => NOW + performance.now() - startedAt;
  }

  /** Puts the pod there as one of the workload's; answers it with the version it got. */
  adopt(pod: Pod): Pod {
    return this.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences: [this.owner] } });
  }

  context(changes: Partial<PlanContext> = {}): PlanContext {
    return {
      stableRevision: 'r1',
      allowance: { revision: 'r2', partition: 0, paused: false },
      unresolved: [],
      issued: [],
      backOff: { count: 0, untilMs: 0 },
      gates: {},
      ...changes,
    };
  }

  moveRequest(items: Move[], changes: Partial<MoveRequest> = {}): MoveRequest {
    return {
      key: KEY,
      uid: this.owner.uid,
      context: this.context(),
      fence: { written: {}, gone: [] },
      updateRevision: 'r2',
      stableRevision: 'r1',
      items,
      asOfMs: this.nowMs,
      ...changes,
    };
  }

  observeRequest(changes: Partial<ObserveRequest> = {}): ObserveRequest {
    return {
      key: KEY,
      uid: this.owner.uid,
      context: this.context(),
      fence: { written: {}, gone: [] },
      quorum: false,
      handled: { generation: 1, triggers: '' },
      toldReached: true,
      toldBlocked: '',
      ...changes,
    };
  }

  #record(name: string, number: number): void {
    this.cluster.put('controllerrevisions', {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'default', labels: { app: 'lobby' }, ownerReferences: [this.owner] },
      revision: number,
      data: { spec: { template: templateOf(`game:${name}`) } },
    } as never);
  }
}

/** The planned version of a pod, as a plan's item carries it. */
export function itemOf({ metadata }: Pod): { pod: string; uid: string; resourceVersion: string; reason: string } {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return { pod: name, uid, resourceVersion, reason: 'test' };
}

/** What a move result comes to, readable in one line. */
export const summaryOf = ({ done, moved, unresolved }: MoveResult) => ({
  done,
  moved,
  unresolved: unresolved.map(({ act, pod, outcome }) => `${act} ${pod} ${outcome}`),
});
