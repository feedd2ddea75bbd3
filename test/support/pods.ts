/** Builders of pods and workloads for tests of the rules: `aPod('r1').notReady().build()`. */

import { INSTANCE_ID_LABEL, READINESS_GATE, REVISION_LABEL } from '../../core/keys.ts';
import type { PlanInput, Revision } from '../../core/plan/types.ts';
import type { GameDeployment, GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { Condition, Pod, PodTemplateSpec } from '../../crds/kubernetes.ts';

/** The moment at which these tests plan. */
export const NOW = Date.parse('2026-11-30T12:00:00Z');
export const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

export const templateOf = (image: string): PodTemplateSpec => ({
  metadata: { labels: { app: 'lobby' } },
  spec: { containers: [{ name: 'game', image }] },
});

export const revision = (name: string, number: number, image = `game:${name}`): Revision => ({
  name,
  number,
  template: templateOf(image),
});

class PodBuilder {
  readonly pod: Pod;

  constructor(name: string, revisionName: string) {
    this.pod = {
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-${name}`,
        resourceVersion: '100',
        generation: 1,
        creationTimestamp: iso(NOW - 3_600_000),
        labels: {
          app: 'lobby',
          [REVISION_LABEL]: revisionName,
          [INSTANCE_ID_LABEL]: name.slice(name.indexOf('-') + 1),
        },
        annotations: {},
      },
      spec: {
        nodeName: 'node-1',
        readinessGates: [{ conditionType: READINESS_GATE }],
        containers: [{ name: 'game', image: `game:${revisionName}` }],
      },
      status: {
        phase: 'Running',
        observedGeneration: 1,
        conditions: [],
        containerStatuses: [
          {
            name: 'game',
            image: `game:${revisionName}`,
            imageID: `sha256:${revisionName}`,
            containerID: `containerd://${name}-0`,
            ready: true,
            restartCount: 0,
            state: { running: { startedAt: iso(NOW - 3_500_000) } },
          },
        ],
      },
    };
    this.condition({ type: READINESS_GATE, status: 'True', lastTransitionTime: iso(NOW - 3_500_000) });
    this.condition({ type: 'Ready', status: 'True', lastTransitionTime: iso(NOW - 3_500_000) });
  }

  condition(condition: Condition): this {
    const others = this.pod.status!.conditions!.filter(({ type }) => type !== condition.type);
    this.pod.status!.conditions = [...others, condition];
    return this;
  }

  notReady(forMs = 60_000): this {
    return this.condition({ type: 'Ready', status: 'False', lastTransitionTime: iso(NOW - forMs) });
  }

  readyFor(ms: number): this {
    return this.condition({ type: 'Ready', status: 'True', lastTransitionTime: iso(NOW - ms) });
  }

  phase(phase: NonNullable<Pod['status']>['phase']): this {
    this.pod.status!.phase = phase;
    return this;
  }

  node(name: string | undefined): this {
    if (name === undefined) delete this.pod.spec.nodeName;
    else this.pod.spec.nodeName = name;
    return this;
  }

  annotated(annotations: Record<string, string>): this {
    Object.assign(this.pod.metadata.annotations!, annotations);
    return this;
  }

  with(change: (pod: Pod) => void): this {
    change(this.pod);
    return this;
  }

  build(): Pod {
    return this.pod;
  }
}

let serial = 0;

/** A ready pod of the given revision; named after the revision and a running number unless a name is given. */
export const aPod = (revisionName: string, name = `lobby-${revisionName}-${serial++}`): PodBuilder =>
  new PodBuilder(name, revisionName);

export const pods = (count: number, revisionName: string): Pod[] =>
  Array.from({ length: count }, () => aPod(revisionName).build());

export function aWorkload(spec: Partial<GameDeploymentSpec> = {}): GameDeployment {
  return {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameDeployment',
    metadata: { name: 'lobby', namespace: 'default', uid: 'uid-lobby', generation: 1, resourceVersion: '1' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'lobby' } }, template: templateOf('game:r2'), ...spec },
  } as GameDeployment;
}

/** r1 is stable, r2 is the update revision, and pods may move to r2 with partition 0 unless told otherwise. */
export function planInput(changes: Partial<PlanInput> & { spec?: Partial<GameDeploymentSpec> }): PlanInput {
  const { spec, ...rest } = changes;
  return {
    workload: aWorkload(spec),
    revisions: [revision('r1', 1), revision('r2', 2)],
    updateRevision: 'r2',
    stableRevision: 'r1',
    allowance: { revision: 'r2', partition: 0, paused: false },
    pods: [],
    nodes: { 'node-1': { ready: true } },
    hookRuns: [],
    hookTemplates: {},
    unresolved: [],
    issued: [],
    backOff: { count: 0, untilMs: 0 },
    gates: {},
    nowMs: NOW,
    seed: 'seed',
    ...rest,
  };
}
