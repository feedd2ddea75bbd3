/**
 * The fault proxy of protocol.md §7: stands between a controller and the real API server and breaks what passes through:
 * answers that get lost, writes that land late, watches that fall silent, a kill exactly between commit and answer.
 * HTTP/1.1 only: clients that prefer HTTP/2 fall back to it on a plain `http:` address. No upgrade (exec, attach).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiRequest, readApiRequest } from './api-request.ts';
import {
  createUpstream,
  readUpstreamTarget,
  type Upstream,
  type UpstreamTarget,
  writeProxyKubeconfig,
} from './upstream.ts';
import { resetConnection, WatchFaults, type WatchStop } from './watch-faults.ts';
import { type HeldWrite, WriteFaults, type WriteRecord, type WriteSelector } from './write-faults.ts';

export interface FaultProxyOptions {
  /** The real API server: a kubeconfig file or its address and credentials. */
  target: { kubeconfigPath: string } | UpstreamTarget;
  /** Resources whose writes count, spelled like `pods` or `pods/status`. */
  countedResources?: readonly string[];
}

export interface FaultProxy {
  readonly url: string;
  /** A kubeconfig that leads through the proxy; removed by `close`. */
  readonly kubeconfigPath: string;
  /** The counted writes since the start or the last `reset`, in order of arrival. */
  readonly writes: readonly WriteRecord[];
  /** Counted writes that the API server accepted. */
  readonly commits: number;
  /** When the selected write is committed (numbers count commits): runs `act`, waits for it, drops the answer. Once. */
  afterCommit(selector: WriteSelector, act: (write: WriteRecord) => void | Promise<void>): void;
  /** Commits the selected write (numbers count commits) and resets its connection instead of answering. Once. */
  dropAnswer(selector: WriteSelector): void;
  /** Keeps the selected write (numbers count arrivals) from the API server until released, by hand or by time. Once. */
  holdWrite(selector: WriteSelector, options?: { releaseAfterMs?: number }): HeldWrite;
  /** Every request that matches waits this long before it is passed on, until `reset`. */
  delay(delayMs: number, matches?: (request: ApiRequest) => boolean): void;
  /** Stops the watches of one resource until `resumeWatch` or `reset`. */
  stopWatch(resource: string, how?: WatchStop): void;
  resumeWatch(resource: string): void;
  /** Watches of a resource that are open through the proxy now. */
  countWatches(resource: string): number;
  /** Disarms every fault, discards held writes, lets watches flow, empties the log and counts from 1 again. */
  reset(): void;
  close(): Promise<void>;
}

/** Counted when nothing else is said: what protocol.md §7 calls a write of ours. */
export const DEFAULT_COUNTED_RESOURCES = [
  'pods',
  'pods/status',
  'controllerrevisions',
  'gamedeployments',
  'gamestatefulsets',
  'gamedeployments/status',
  'gamestatefulsets/status',
  'hookruns',
  'hookruns/status',
] as const;

/** Starts the proxy on a free loopback port. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const target = 'url' in options.target ? options.target : readUpstreamTarget(options.target.kubeconfigPath);
  const upstream = createUpstream(target);
  const core = new ProxyCore(upstream, options.countedResources ?? DEFAULT_COUNTED_RESOURCES);
  const server = createServer((request, response) => void core.serve(request, response));
  const url = await listen(server);
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-fault-proxy-'));
  const kubeconfigPath = join(directory, 'kubeconfig');
  writeProxyKubeconfig(kubeconfigPath, url, target.token);
  const close = async () => {
    core.reset();
    upstream.close();
    await stopServer(server);
    await rm(directory, { recursive: true, force: true });
  };
  return exposeProxy(core, { url, kubeconfigPath, close });
}

function exposeProxy(core: ProxyCore, place: Pick<FaultProxy, 'url' | 'kubeconfigPath' | 'close'>): FaultProxy {
  const { writes, watches } = core;
  return {
    ...place,
    get writes() {
      return writes.records;
    },
    get commits() {
      return writes.records.filter((write) => write.commit !== undefined).length;
    },
    afterCommit: (selector, act) => writes.armCommit(selector, act),
    dropAnswer: (selector) => writes.armCommit(selector, () => undefined),
    holdWrite: (selector, options) => writes.armHold(selector, options?.releaseAfterMs),
    delay: (delayMs, matches = () => true) => core.delays.push({ delayMs, matches }),
    stopWatch: (resource, how = 'withhold') => watches.stop(resource, how),
    resumeWatch: (resource) => watches.resume(resource),
    countWatches: (resource) => watches.countOpen(resource),
    reset: () => core.reset(),
  };
}

interface Delay {
  delayMs: number;
  matches: (request: ApiRequest) => boolean;
}

/** Carries requests to the API server and answers back, under the faults armed at each moment. */
class ProxyCore {
  readonly writes = new WriteFaults();
  readonly watches = new WatchFaults();
  delays: Delay[] = [];
  readonly #upstream: Upstream;
  readonly #counted: ReadonlySet<string>;

  constructor(upstream: Upstream, counted: readonly string[]) {
    this.#upstream = upstream;
    this.#counted = new Set(counted);
  }

  reset(): void {
    this.delays = [];
    this.writes.reset();
    this.watches.resumeAll();
  }

  /** Never throws: whatever fails on the way is a reset connection for the client. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    try {
      await this.#route(readApiRequest(request.method ?? 'GET', request.url ?? '/'), request, response);
    } catch {
      resetConnection(response);
    }
  }

  async #route(asked: ApiRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (asked.kind === 'watch') return this.#serveWatch(asked, request, response);
    if (asked.kind === 'write' && this.#counted.has(asked.resource)) return this.#serveWrite(asked, request, response);
    await this.#wait(asked);
    const answer = await this.#ask(request, await buffer(request));
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
    await pipeline(answer, response);
  }

  async #serveWatch(asked: ApiRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#wait(asked);
    if (this.watches.isCut(asked.resource)) return resetConnection(response);
    const answer = await this.#ask(request, Buffer.alloc(0));
    if (response.destroyed || this.watches.isCut(asked.resource)) {
      answer.destroy();
      return resetConnection(response);
    }
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
    response.flushHeaders();
    this.watches.attach(asked.resource, answer, response);
  }

  /** The body is complete before anything is passed on: a client killed in mid-send has written nothing. */
  async #serveWrite(asked: ApiRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const write = this.writes.arrive(asked, request.headers['user-agent'] ?? '');
    await this.#wait(asked);
    if ((await this.writes.passArrival(write)) === 'discard') {
      write.outcome = 'discarded';
      return resetConnection(response);
    }
    const answer = await this.#deliver(write, request, body);
    const fault = this.writes.takeCommitFault(write);
    if (fault) await fault.act(write);
    if (fault || response.destroyed) {
      write.outcome = 'dropped';
      return resetConnection(response);
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
    write.outcome = 'answered';
  }

  async #deliver(write: WriteRecord, request: IncomingMessage, body: Buffer) {
    try {
      const answer = await this.#ask(request, body);
      const received = await buffer(answer);
      this.writes.answer(write, answer.statusCode ?? 502);
      return { status: answer.statusCode ?? 502, headers: endToEndHeaders(answer.headers), body: received };
    } catch (error) {
      write.outcome = 'unreachable';
      throw error;
    }
  }

  #ask(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const headers: Record<string, string | string[] | undefined> = endToEndHeaders(request.headers);
    delete headers.host;
    if (body.length > 0 || request.method !== 'GET') headers['content-length'] = String(body.length);
    if (headers.authorization === undefined && this.#upstream.token !== undefined) {
      headers.authorization = `Bearer ${this.#upstream.token}`;
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asking = this.#upstream.request({ method: request.method, path: request.url, headers });
    asking.once('response', resolve).on('error', reject).end(body);
    return promise;
  }

  async #wait(asked: ApiRequest): Promise<void> {
    const delayMs = this.delays.filter(({ matches }) => matches(asked)).reduce((sum, delay) => sum + delay.delayMs, 0);
    if (delayMs > 0) await sleep(delayMs);
  }
}

/** Headers that speak of the message, not of the connection it came on (RFC 9110 §7.6.1). */
function endToEndHeaders<T extends Record<string, unknown>>(headers: T): T {
  const copy = { ...headers };
  for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade']) delete copy[name];
  return copy;
}

async function listen(server: Server): Promise<string> {
  // A keep-alive connection that the proxy closes by itself would look like a fault that nobody armed.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(0, '127.0.0.1', resolve);
  await promise;
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stopServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
