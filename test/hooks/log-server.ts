/** A node whose kubelet hands out logs: the API server asks it over HTTPS for what a container wrote. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ApiCall } from '../../devstack/api.ts';
import { makeCertificate } from '../support/certificates.ts';

export class LogServer {
  readonly nodeName = 'logs-1';
  /** By pod; a pod that is not named has none. */
  readonly logs = new Map<string, string>();
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(makeCertificate({ name: 'kubelet' }), (request, response) => {
      this.asked.push(request.url ?? '');
      const [, , , pod = ''] = (request.url ?? '').split('/');
      const log = this.logs.get(pod);
      if (log === undefined) response.writeHead(500).end('no such container');
      else response.end(log);
    });
  }

  static async open(api: ApiCall): Promise<LogServer> {
    const server = new LogServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    const { port: Port } = server.#server.address() as AddressInfo;
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port } },
    };
    await api('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: server.nodeName }, status });
    return server;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
