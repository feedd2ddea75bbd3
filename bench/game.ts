/** The workloads of the bench, and kubectl as a person uses it on them. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { READINESS_GATE } from '../core/keys.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { Operator } from '../devstack/operator.ts';
import { waitFor } from '../devstack/wait.ts';
import { gameDeployments, gameStatefulSets, pods as podType, type ResourceType } from '../kubernetes/resource-types.ts';
import { inLanes } from './lanes.ts';

const NAMESPACE = 'default';
const LOOK_EVERY_MS = 500;
const spec = (image: string) => ({ containers: [{ name: 'game', image }] });

export const KINDS = ['gamedeployment', 'gamestatefulset'] as const;
export type Kind = (typeof KINDS)[number];

export interface GameRef {
  kind: Kind;
  name: string;
}

export interface GameOptions extends GameRef {
  pods: number;
  maxUnavailable: string;
}

/** What a pod of the bare loop is: as large as one of the operator's. */
export const barePod = (image: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: '', namespace: NAMESPACE, labels: { app: 'bare', 'bench.holdfast.dev/kind': 'bare' } },
  spec: { ...spec(image), readinessGates: [{ conditionType: READINESS_GATE }] },
});

/** The resource of a kind; what both kinds have is read and written alike. */
export const resourceOf = (kind: Kind): ResourceType<GameWorkload> =>
  (kind === 'gamedeployment' ? gameDeployments : gameStatefulSets) as ResourceType<GameWorkload>;

/** What a person would write: pods of a set that do not wait for each other, as those of a deployment do not. */
export function gameOf({ kind, name, pods, maxUnavailable }: GameOptions): GameDeployment | GameStatefulSet {
  const labels = { app: name };
  const object = { apiVersion: 'tkex.tencent.com/v1alpha1', metadata: { name, namespace: NAMESPACE } } as const;
  const template = { metadata: { labels }, spec: spec('bench/game:1') };
  const common = { replicas: pods, selector: { matchLabels: labels }, template };
  const type = 'InplaceUpdate';
  if (kind === 'gamedeployment')
    return { ...object, kind: 'GameDeployment', spec: { ...common, updateStrategy: { type, maxUnavailable } } };
  const ofSet = { serviceName: name, podManagementPolicy: 'Parallel' } as const;
  const updateStrategy = { type, rollingUpdate: { maxUnavailable } } as const;
  return { ...object, kind: 'GameStatefulSet', spec: { ...common, ...ofSet, updateStrategy } };
}

/** kubectl apply. */
export async function applyGame({ stack }: Operator, game: GameOptions): Promise<void> {
  const path = join(stack.dir, `${game.name}.json`);
  await writeFile(path, JSON.stringify(gameOf(game)));
  await kubectl(stack, ['apply', '-f', path]);
}

/** kubectl patch: the change that starts a rollout. */
export async function changeImage({ stack }: Operator, { kind, name }: GameRef, image: string): Promise<void> {
  const patch = JSON.stringify([{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }]);
  await kubectl(stack, ['patch', kind, name, '-n', NAMESPACE, '--type=json', '-p', patch]);
}

/** kubectl scale --replicas=0. */
export async function scaleToZero({ stack }: Operator, { kind, name }: GameRef): Promise<void> {
  await kubectl(stack, ['scale', kind, name, '-n', NAMESPACE, '--replicas=0']);
}

/** Away with the workload and its pods: the next part finds an empty cluster. */
export async function removeGame({ cluster }: Operator, { kind, name }: GameRef, timeoutMs: number): Promise<void> {
  const ref = { namespace: NAMESPACE, name };
  await cluster.delete(resourceOf(kind), ref, { propagationPolicy: 'Background' });
  const check = async () => {
    const { items } = await cluster.list(podType, { namespace: NAMESPACE, labelSelector: `app=${name}` });
    if (items.length > 0) throw new Error(`${items.length} are left`);
    return true;
  };
  await waitFor(check, { what: `the pods of ${name} are gone`, timeoutMs, intervalMs: 2_000 });
}

/** Waits until the workload is Ready at the spec of now. */
export async function untilReady({ cluster }: Operator, { kind, name }: GameRef, timeoutMs: number): Promise<void> {
  const check = async () => {
    const workload = await cluster.get(resourceOf(kind), { namespace: NAMESPACE, name });
    if (isReady(workload)) return true;
    const { readyReplicas, updatedReadyReplicas, observedGeneration } = workload.status ?? {};
    throw new Error(JSON.stringify({ readyReplicas, updatedReadyReplicas, observedGeneration }));
  };
  await waitFor(check, { what: `${name} is Ready`, timeoutMs, intervalMs: LOOK_EVERY_MS });
}

export function isReady({ metadata, status }: GameWorkload): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return status?.observedGeneration === metadata.generation && ready?.status === 'True';
}

/** From now on each pod takes another time to restart, from a quarter of the longest on, the same in every run. */
export async function slowDown({ cluster }: Operator, name: string, longestMs: number): Promise<void> {
  const { items } = await cluster.list(podType, { namespace: NAMESPACE, labelSelector: `app=${name}` });
  await inLanes(items.length, async (index) => {
    const delay = Math.round(longestMs * (0.25 + 0.75 * fraction(index)));
    const annotations = { 'holdfast.dev/kwok-restart-delay': String(delay) };
    const ref = { namespace: NAMESPACE, name: items[index]?.metadata.name ?? '' };
    await cluster.patch(podType, ref, { kind: 'merge', body: { metadata: { annotations } } });
  });
}

/** Spread evenly over 0 to 1 in an order that looks like none. */
const fraction = (index: number): number => (index * 0.618_033_988_75) % 1;

async function kubectl({ binaries, kubeconfig }: Operator['stack'], args: readonly string[]): Promise<void> {
  await promisify(execFile)(binaries.kubectl, ['--kubeconfig', kubeconfig, ...args]);
}
