/**
 * Stands for metrics-server where kube-controller-manager's HorizontalPodAutoscaler asks it. As the real one it is an API of
 * its own, metrics.k8s.io/v1beta1, which the API server's aggregator reaches through an APIService; it lists PodMetrics by
 * namespace and label selector, as fresh as they are asked for. Nothing is measured: a test says how much a namespace has
 * to do, and its pods share that equally. Missing are metrics of nodes, single pods, watches, and any check of who asks.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Devstack } from '../../devstack/stack.ts';
import { eventually } from '../support/eventually.ts';

const GROUP_VERSION = 'metrics.k8s.io/v1beta1';
const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }],
};
const REFERENCE = { namespace: 'kube-system', name: 'metrics-server' };
const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices';

export class MetricsServer {
  readonly #stack: Devstack;
  readonly #server: Server;
  /** Millicores by namespace. */
  readonly #load = new Map<string, number>();

  private constructor(stack: Devstack) {
    this.#stack = stack;
    // The aggregator is told to trust whoever answers, so any certificate does.
    const file = (name: string) => readFileSync(join(stack.dir, 'certs', name));
    this.#server = createServer(
      { key: file('apiserver.key'), cert: file('apiserver.crt') },
      async (request, answer) => {
        const body = await this.#answerTo(new URL(request.url ?? '', 'https://metrics-server'));
        answer.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' });
        answer.end(JSON.stringify(body ?? {}));
      },
    );
  }

  /** Returns when the aggregator serves it. */
  static async open(stack: Devstack): Promise<MetricsServer> {
    const server = new MetricsServer(stack);
    await server.#listen();
    await server.#register();
    return server;
  }

  /** What all pods of the namespace have to do together. */
  setLoad(namespace: string, millicores: number): void {
    this.#load.set(namespace, millicores);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    return promise;
  }

  /** By an ExternalName: an endpoint may not be a loopback address. */
  async #register(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const [group, version] = GROUP_VERSION.split('/');
    const { api } = this.#stack;
    await api('POST', `/api/v1/namespaces/${REFERENCE.namespace}/services`, {
      metadata: { name: REFERENCE.name },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    });
    await api('POST', API_SERVICE, {
      metadata: { name: `${version}.${group}` },
      spec: {
        ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
        ...{ service: { ...REFERENCE, port }, insecureSkipTLSVerify: true },
      },
    });
    const isServed = async () => (await api('GET', `/apis/${GROUP_VERSION}`)).status === 200;
    await eventually('the aggregator serves metrics', isServed);
  }

  async #answerTo({ pathname, search }: URL): Promise<object | null> {
    const resource = /^\/apis\/metrics\.k8s\.io\/v1beta1(?:\/namespaces\/([^/]+)\/pods)?$/.exec(pathname);
    if (resource === null) return null;
    const [, namespace] = resource;
    return namespace === undefined ? RESOURCES : await this.#metricsOf(namespace, search);
  }

  async #metricsOf(namespace: string, search: string): Promise<object> {
    const { body } = await this.#stack.api('GET', `/api/v1/namespaces/${namespace}/pods${search}`);
    const { items } = body as { items: Pod[] };
    const running = items.filter(({ status }) => status?.phase === 'Running');
    const cpu = `${Math.round((this.#load.get(namespace) ?? 0) / Math.max(1, running.length))}m`;
    return { kind: 'PodMetricsList', apiVersion: GROUP_VERSION, items: running.map((pod) => metricsOf(pod, cpu)) };
  }
}

const metricsOf = ({ metadata: { name, namespace, labels }, spec }: Pod, cpu: string) => ({
  metadata: { name, namespace, labels },
  timestamp: new Date().toISOString(),
  window: '1s',
  containers: spec.containers.map((container, index) => ({
    name: container.name,
    usage: { cpu: index === 0 ? cpu : '0', memory: '0' },
  })),
});
