/** Real servers for the providers that need a cluster, and one measurement as the activity makes it. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type MeasurementOrder, makeMeasurement } from '../../activities/hooks/measurement.ts';
import { endJobs } from '../../activities/hooks/providers/job.ts';
import { createHookResources } from '../../activities/hooks/resources.ts';
import type { FinishedMeasurement, OpenMeasurement } from '../../core/hooks/verdict.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import type { Metric } from '../../crds/metric.ts';
import type { MetricProvider } from '../../crds/provider.ts';
import { hookKindObjects, rbacObjects } from '../../deploy/rbac.ts';
import type { ComponentName } from '../../devstack/servers.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { hookRuns, type ResourceType } from '../../kubernetes/resource-types.ts';
import { copyKubeconfig } from '../kubernetes/api-server.ts';
import { runKubectl } from './kubectl.ts';

const GENERATED = resolve(import.meta.dirname, '../../crds/generated');

export type Asking = Partial<MeasurementOrder> &
  Partial<Omit<Metric, 'provider'>> & { arguments?: Record<string, string> };

export class ProviderCluster {
  readonly stack: Devstack;
  /** May do everything. */
  readonly client: KubernetesClient;
  /** Has the rights that `holdfast install` gives and no more: what is measured is measured with it. */
  readonly #controller: KubernetesClient;
  readonly #resources: ReturnType<typeof createHookResources>;

  private constructor(stack: Devstack, client: KubernetesClient, controller: KubernetesClient, kinds: ResourceType[]) {
    this.stack = stack;
    this.client = client;
    this.#controller = controller;
    this.#resources = createHookResources(controller, { kinds });
  }

  static async open(components: ComponentName[], kinds: ResourceType[] = []): Promise<ProviderCluster> {
    const stack = await startDevstack({ components: ['kube-apiserver', ...components] });
    const client = createKubernetesClient({ kubeconfigPath: stack.kubeconfig });
    const manifests = [...rbacObjects(), ...hookKindObjects(kinds)].map((object) => stringify(object)).join('---\n');
    writeFileSync(join(stack.dir, 'rbac.yaml'), manifests);
    await runKubectl(stack, 'apply', '-f', GENERATED, '-f', join(stack.dir, 'rbac.yaml'));
    await runKubectl(stack, 'wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    const token = (await runKubectl(stack, 'create', 'token', 'holdfast', '-n', 'holdfast-system')).trim();
    const kubeconfigPath = copyKubeconfig(stack, 'controller', () => ({ user: { token } }));
    return new ProviderCluster(stack, client, createKubernetesClient({ kubeconfigPath }), kinds);
  }

  async close(): Promise<void> {
    await this.#resources.agents.close();
    await this.#controller.close();
    await this.client.close();
    await this.stack.stop();
  }

  kubectl(...args: string[]): Promise<string> {
    return runKubectl(this.stack, ...args);
  }

  /** A HookRun that is there, to own what is made for it. */
  async run(name: string): Promise<MeasurementOrder['run']> {
    const metrics = [{ name: 'm', provider: { web: { url: 'http://nobody' } } }];
    const object = {
      apiVersion: 'tkex.tencent.com/v1alpha1',
      kind: 'HookRun',
      metadata: { name, namespace: 'default' },
    };
    const made = await this.client.create(
      hookRuns as ResourceType,
      { ...object, spec: { metrics } } as KubernetesObject,
    );
    return { namespace: 'default', name, uid: made.metadata.uid ?? '', podUid: undefined };
  }

  endJobs(run: MeasurementOrder['run']): Promise<void> {
    return endJobs(this.#controller, run);
  }

  async measure(provider: MetricProvider, asking: Asking = {}): Promise<FinishedMeasurement | OpenMeasurement> {
    const { arguments: given = {}, run, args, number = 1, begunAt, ...metric } = asking;
    const order = {
      run: run ?? { namespace: 'default', name: 'run', uid: 'u', podUid: undefined },
      args: args ?? new Map(Object.entries(given)),
      ...{ number, begunAt },
    };
    const log = { warn: (fields: object, message: string) => console.warn(message, fields) };
    const ports = { client: this.#controller, nowMs: Date.now, log, ...this.#resources };
    return makeMeasurement({ name: 'm', provider, ...metric }, order, ports, new AbortController().signal);
  }
}
