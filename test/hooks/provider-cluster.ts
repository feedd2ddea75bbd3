/** Real servers for the providers that need a cluster, and one measurement as the activity makes it. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type MeasurementOrder, makeMeasurement } from '../../activities/hooks/measurement.ts';
import { createHookResources } from '../../activities/hooks/resources.ts';
import type { FinishedMeasurement, OpenMeasurement } from '../../core/hooks/verdict.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import type { Metric } from '../../crds/metric.ts';
import type { MetricProvider } from '../../crds/provider.ts';
import type { ComponentName } from '../../devstack/servers.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { hookRuns, type ResourceType } from '../../kubernetes/resource-types.ts';

const GENERATED = resolve(import.meta.dirname, '../../crds/generated');
const execute = promisify(execFile);

export type Asking = Partial<MeasurementOrder> &
  Partial<Omit<Metric, 'provider'>> & { arguments?: Record<string, string> };

export class ProviderCluster {
  readonly stack: Devstack;
  readonly client: KubernetesClient;
  readonly #resources: ReturnType<typeof createHookResources>;

  private constructor(stack: Devstack, kinds: ResourceType[], kubeconfigPath: string) {
    this.stack = stack;
    this.client = createKubernetesClient({ kubeconfigPath });
    this.#resources = createHookResources(this.client, { kinds });
  }

  static async open(components: ComponentName[], kinds: ResourceType[] = []): Promise<ProviderCluster> {
    const stack = await startDevstack({ components: ['kube-apiserver', ...components] });
    const cluster = new ProviderCluster(stack, kinds, stack.kubeconfig);
    await cluster.kubectl('apply', '-f', GENERATED);
    await cluster.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    return cluster;
  }

  async close(): Promise<void> {
    await this.#resources.agents.close();
    await this.client.close();
    await this.stack.stop();
  }

  async kubectl(...args: string[]): Promise<string> {
    return (await execute(this.stack.binaries.kubectl, ['--kubeconfig', this.stack.kubeconfig, ...args])).stdout;
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

  async measure(provider: MetricProvider, asking: Asking = {}): Promise<FinishedMeasurement | OpenMeasurement> {
    const { arguments: given = {}, run, args, number = 1, begunAt, ...metric } = asking;
    const order = {
      run: run ?? { namespace: 'default', name: 'run', uid: 'u', podUid: undefined },
      args: args ?? new Map(Object.entries(given)),
      ...{ number, begunAt },
    };
    const ports = { client: this.client, nowMs: Date.now, ...this.#resources };
    return makeMeasurement({ name: 'm', provider, ...metric }, order, ports, new AbortController().signal);
  }
}
