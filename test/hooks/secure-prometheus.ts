/** A real Prometheus that takes nothing but TLS and basic auth, and a proxy before it that takes a bearer token instead. */
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as requestTls, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findPorts } from '../../devstack/ports.ts';
import { ServerProcess } from '../../devstack/process.ts';
import type { Devstack } from '../../devstack/stack.ts';
import { startWatchdog, type Watchdog } from '../../devstack/watchdog.ts';
import { type Certificate, makeCertificate } from '../support/certificates.ts';

/** What Prometheus knows of the password is its bcrypt hash: `htpasswd -nbBC 4 ana p4ssw0rd-of-ana`. */
const HASH = '$2b$04$GameServersDrainSlowluWMpQFZ4nErjxBJ9WJO0fCwewoIyJYnK';
export const USER = 'ana';
export const PASSWORD = 'p4ssw0rd-of-ana';
export const TOKEN = 'b3arer-t0ken-of-the-game';

const authority = makeCertificate({ name: 'prometheus authority' });
const good = makeCertificate({ name: 'prometheus', issuer: authority });

export class SecurePrometheus {
  readonly ca = authority.cert;
  readonly #dir: string;
  readonly #port: number;
  readonly #watchdog: Watchdog;
  readonly #server: ServerProcess;
  readonly #proxy: Server;

  private constructor({ dir, binaries }: Devstack, port: number) {
    this.#dir = dir;
    this.#port = port;
    this.#watchdog = startWatchdog();
    const args = [
      `--config.file=${join(dir, 'secure-prometheus.yaml')}`,
      `--web.config.file=${join(dir, 'web.yaml')}`,
      `--storage.tsdb.path=${join(dir, 'secure-prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ];
    const logPath = join(dir, 'logs', 'secure-prometheus.log');
    const isReady = async () => (await this.#forward('/-/ready', 'GET', '')).statusCode === 200;
    const spec = { name: 'secure prometheus', command: binaries.prometheus, args, logPath, isReady };
    this.#server = new ServerProcess(spec, this.#watchdog, () => {});
    this.#proxy = createServer(good, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(stack: Devstack): Promise<SecurePrometheus> {
    const { port } = await findPorts(['port']);
    const prometheus = new SecurePrometheus(stack, port);
    prometheus.#writeConfiguration();
    prometheus.useCertificate(good);
    await prometheus.#server.start();
    await new Promise<void>((resolve) => prometheus.#proxy.listen(0, '127.0.0.1', resolve));
    return prometheus;
  }

  /** Takes basic auth. */
  get address(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Takes a bearer token. */
  get proxyAddress(): string {
    return `https://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  /** For connections that are made from now on: Prometheus reads it for each of them. */
  useCertificate({ cert, key }: Certificate): void {
    writeFileSync(join(this.#dir, 'prometheus.crt'), cert);
    writeFileSync(join(this.#dir, 'prometheus.key'), key);
  }

  async close(): Promise<void> {
    this.#proxy.closeAllConnections();
    await new Promise((resolve) => this.#proxy.close(resolve));
    await this.#server.stop(3_000);
    this.#watchdog.close();
  }

  #writeConfiguration(): void {
    // A store that is never there: what is asked of series is answered with a warning.
    const remote_read = [{ url: 'http://127.0.0.1:1/read', read_recent: true }];
    writeFileSync(join(this.#dir, 'secure-prometheus.yaml'), stringify({ remote_read }));
    const files = { cert_file: join(this.#dir, 'prometheus.crt'), key_file: join(this.#dir, 'prometheus.key') };
    const web = { tls_server_config: files, basic_auth_users: { [USER]: HASH } };
    writeFileSync(join(this.#dir, 'web.yaml'), stringify(web));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401).end(`who is ${request.headers.authorization}?`);
      return;
    }
    const answer = await this.#forward(request.url ?? '/', request.method ?? 'GET', body);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  }

  #forward(path: string, method: string, body: string): Promise<IncomingMessage> {
    const headers = {
      authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    return new Promise((resolve, reject) => {
      const asking = requestTls(`${this.address}${path}`, { method, headers, rejectUnauthorized: false }, resolve);
      asking.on('error', reject).end(body);
    });
  }
}
