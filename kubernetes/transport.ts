/**
 * HTTP to one apiserver. Knows nothing of Kubernetes objects and repeats nothing, except once a request that was
 * refused with 401, after reading the token again.
 */
import type { Dispatcher } from 'undici';
import { AgentPools } from './agents.ts';
import { type Connection, Credentials, type KubeconfigSource } from './credentials.ts';
import { startDeadline } from './deadline.ts';
import { errorFromAnswer, errorFromSetup, errorFromTransport } from './error-classification.ts';

interface TransportOptions extends KubeconfigSource {
  userAgent: string;
  /** How many connections carry calls. */
  connections: number;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's address. */
  path: string;
  query?: URLSearchParams;
  body?: string;
  contentType?: string;
}

export interface HttpAnswer {
  status: number;
  body: string;
  /** The header as it came. */
  retryAfter: string | undefined;
}

type Pool = 'calls' | 'watches';

export class Transport {
  readonly #userAgent: string;
  readonly #credentials: Credentials;
  readonly #pools: AgentPools;

  constructor(options: TransportOptions) {
    this.#userAgent = options.userAgent;
    this.#credentials = new Credentials(options);
    this.#pools = new AgentPools(options.connections);
  }

  /**
   * Sends one request and reads the whole answer, whatever its status.
   * @throws ApiError (timeout, network, aborted, other) when no answer came.
   */
  async send(
    request: HttpRequest,
    limits: { timeoutMs: number; signal?: AbortSignal; pool?: Pool },
  ): Promise<HttpAnswer> {
    const deadline = startDeadline(limits.timeoutMs, limits.signal);
    try {
      const response = await this.#exchange(request, limits.pool ?? 'calls', deadline.signal);
      const retryAfter = response.headers['retry-after'];
      return { status: response.statusCode, body: await response.body.text(), retryAfter: retryAfter?.toString() };
    } catch (error) {
      throw errorFromTransport(error, describe(request), deadline.ended());
    } finally {
      deadline.release();
    }
  }

  /**
   * Opens a stream of bytes on the watches' connections. Leaving the iteration or aborting the signal closes it; a slow
   * reader slows the server down.
   * @throws ApiError when the answer is no success, when none comes in time, and when the stream breaks.
   */
  async *stream(
    request: HttpRequest,
    limits: { openTimeoutMs: number; signal: AbortSignal; onBytes?: () => void },
  ): AsyncGenerator<Buffer> {
    const deadline = startDeadline(limits.openTimeoutMs, limits.signal);
    try {
      const response = await this.#exchange(request, 'watches', deadline.signal);
      if (response.statusCode !== 200) throw await failedStream(response);
      deadline.lift();
      limits.onBytes?.();
      for await (const chunk of response.body) {
        limits.onBytes?.();
        yield chunk as Buffer;
      }
    } catch (error) {
      throw errorFromTransport(error, describe(request), deadline.ended());
    } finally {
      deadline.release();
    }
  }

  async close(): Promise<void> {
    await this.#pools.close();
  }

  async #exchange(request: HttpRequest, pool: Pool, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const connection = await this.#connection();
    const response = await this.#dispatch(connection, request, pool, signal);
    if (response.statusCode !== 401) return response;
    await response.body.dump();
    await this.#credentials.invalidate(connection);
    return this.#dispatch(await this.#connection(), request, pool, signal);
  }

  #dispatch(connection: Connection, request: HttpRequest, pool: Pool, signal: AbortSignal) {
    const query = request.query?.toString();
    return this.#pools.for(connection)[pool].request({
      origin: connection.origin,
      path: `${connection.basePath}${request.path}${query ? `?${query}` : ''}`,
      method: request.method,
      headers: {
        accept: 'application/json',
        'user-agent': this.#userAgent,
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...connection.headers,
      },
      body: request.body,
      // A DELETE has a body here: undici takes that for unusual, and would close the connection after each.
      reset: false,
      signal,
    });
  }

  async #connection(): Promise<Connection> {
    try {
      return await this.#credentials.current();
    } catch (error) {
      throw errorFromSetup(error);
    }
  }
}

async function failedStream(response: Dispatcher.ResponseData): Promise<Error> {
  const retryAfter = response.headers['retry-after'];
  return errorFromAnswer(response.statusCode, await response.body.text(), retryAfter?.toString());
}

/** Names the request in an error: no query, it may hold selectors with user data. */
function describe(request: HttpRequest): string {
  return `${request.method} ${request.path}`;
}
