/**
 * One call with the rules every call has: a limit on both sides, the token bucket for writes, patience when the
 * server answers 429, one classified error. Never repeats a write that may have been carried out.
 */
import { pause } from './deadline.ts';
import { errorBeforeSending, errorFromAnswer, errorFromGarbage } from './error-classification.ts';
import type { ApiError } from './errors.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { HttpRequest, Transport } from './transport.ts';

/** What every method of the client takes. */
export interface CallOptions {
  /** Ends the call; whether a write was carried out is unknown unless the error says it was not sent. */
  signal?: AbortSignal;
  /** How long the server may work on the request; 10,000 when absent. */
  timeoutMs?: number;
  /** Time fence: nothing is sent after this moment of `performance.now()`, also no repetition after a 429. */
  notAfter?: number;
  /** Whose connections carry it; those of calls when absent. */
  pool?: 'watches';
}

/** Why a call was repeated or held back; for metrics. */
export type ThrottleListener = (event: { method: string; waitedMs: number }) => void;

const SERVER_TIMEOUT_MS = 10_000;
/** The server's own limit should come first: its answer says more than our silence. */
const CLIENT_MARGIN_MS = 2_000;
const MAX_TRIES = 6;
/** All waiting for 429s of one call together. */
const MAX_THROTTLED_MS = 20_000;

export class Calls {
  readonly #transport: Pick<Transport, 'send'>;
  readonly #bucket: TokenBucket | undefined;
  readonly #onThrottle: ThrottleListener | undefined;

  constructor(transport: Pick<Transport, 'send'>, bucket: TokenBucket | undefined, onThrottle?: ThrottleListener) {
    this.#transport = transport;
    this.#bucket = bucket;
    this.#onThrottle = onThrottle;
  }

  /** The answer's JSON. @throws ApiError unless the server answers 2xx. */
  async send(request: HttpRequest, options: CallOptions): Promise<unknown> {
    return parseBody(request, await this.sendForText(request, options));
  }

  /** The answer as it is, for what is no JSON. @throws ApiError unless the server answers 2xx. */
  async sendForText(request: HttpRequest, options: CallOptions): Promise<string> {
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(request, options);
      if (typeof outcome === 'string') return outcome;
      const waitMs = throttleWait(request, outcome);
      const until = Math.min(startedAt + MAX_THROTTLED_MS, options.notAfter ?? Number.POSITIVE_INFINITY);
      if (waitMs === undefined || attempt === MAX_TRIES || performance.now() + waitMs > until) throw outcome;
      this.#onThrottle?.({ method: request.method, waitedMs: waitMs });
      if (!(await pause(waitMs, options.signal))) throw outcome;
    }
  }

  async #attempt(request: HttpRequest, options: CallOptions): Promise<string | ApiError> {
    await this.#admit(request, options);
    const timeoutMs = options.timeoutMs ?? SERVER_TIMEOUT_MS;
    const query = new URLSearchParams(request.query);
    query.set('timeout', `${Math.ceil(timeoutMs / 1000)}s`);
    const limits = { timeoutMs: timeoutMs + CLIENT_MARGIN_MS, signal: options.signal, pool: options.pool };
    const answer = await this.#transport.send({ ...request, query }, limits);
    if (answer.status < 200 || answer.status > 299) {
      return errorFromAnswer(answer.status, answer.body, answer.retryAfter);
    }
    return answer.body;
  }

  async #admit(request: HttpRequest, options: CallOptions): Promise<void> {
    const isPast = () => options.notAfter !== undefined && performance.now() > options.notAfter;
    const isAdmitted = request.method === 'GET' || (await this.#bucket?.take(options)) !== false;
    if (isAdmitted && !options.signal?.aborted && !isPast()) return;
    throw errorBeforeSending(`${request.method} ${request.path} was given up before it was sent`);
  }
}

function parseBody(request: HttpRequest, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw errorFromGarbage(error, `${request.method} ${request.path}`);
  }
}

/**
 * How long to wait before the same request may go again; undefined: it may not. A 429 was refused before anything was
 * done; reads may also follow a Retry-After of an overloaded server.
 */
function throttleWait(request: HttpRequest, error: ApiError): number | undefined {
  const isRepeatable = error.status === 429 || (request.method === 'GET' && error.status === 503);
  if (!isRepeatable || error.retryAfterMs === undefined) return undefined;
  // Spread the crowd that was refused in the same instant.
  return error.retryAfterMs + Math.random() * 250;
}
