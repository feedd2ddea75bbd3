/**
 * The `web` provider: one GET, and the value that a JSONPath finds in its answer (game-workloads §3.5). Owns time and
 * size limits and what may be said about a failure: host and path, never query, headers or body.
 */
import { Agent, type Dispatcher, request } from 'undici';
import { JsonPathError, parseJsonPath, readJsonPath } from '../../core/hooks/json-path.ts';
import type { WebProvider } from '../../crds/metric.ts';
import { type Deadline, startDeadline } from '../../kubernetes/deadline.ts';
import { describeTransportError } from './transport-problem.ts';

/** What a provider brings back: a value to judge, or one sentence why there is none. */
export type ProviderAnswer = { value: string } | { problem: string };

export interface WebDependencies {
  dispatcher: Dispatcher;
  /** Aborted: the measurement is given up, not counted. */
  signal: AbortSignal;
}

const DEFAULT_TIMEOUT_SECONDS = 10;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The connections of all web hooks of a process. Certificates are verified against the system's authorities. */
export function createWebDispatcher(): Agent {
  return new Agent({ allowH2: false, keepAliveTimeout: 10_000, connections: 8, connect: { timeout: 10_000 } });
}

/**
 * One measurement. `web` has its arguments filled in.
 * @throws the signal's reason when it is aborted; every failure of the request itself is an answer.
 */
export async function measureWeb(web: WebProvider, { dispatcher, signal }: WebDependencies): Promise<ProviderAnswer> {
  const url = parseUrl(web.url);
  if (url === undefined) return { problem: 'the URL is not a valid http or https URL' };
  const timeoutSeconds = web.timeoutSeconds || DEFAULT_TIMEOUT_SECONDS;
  const deadline = startDeadline(timeoutSeconds * 1000, signal);
  try {
    const text = await fetchText(url, web, { dispatcher, deadline });
    return { value: extract(text, web.jsonPath) };
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.ended() === 'expired' ? `no answer within ${timeoutSeconds} s` : describe(error);
    return { problem: `GET ${url.origin}${url.pathname}: ${why}` };
  } finally {
    deadline.release();
  }
}

/** A failure that is already described. */
class WebProblem extends Error {}

interface Sending {
  dispatcher: Dispatcher;
  deadline: Deadline;
}

async function fetchText(url: URL, web: WebProvider, sending: Sending): Promise<string> {
  let target = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await request(withoutCredentials(target), {
      method: 'GET',
      headers: headersOf(target, web),
      dispatcher: sending.dispatcher,
      signal: sending.deadline.signal,
    });
    if (!REDIRECTS.has(answer.statusCode)) return await readBody(answer);
    await answer.body.dump();
    target = redirectTarget(target, answer.headers.location);
  }
  throw new WebProblem(`more than ${MAX_REDIRECTS} redirects`);
}

/** Only to the same host, never from https to http: the headers may hold secrets. */
function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  const target =
    typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target === undefined) throw new WebProblem('a redirect without a valid target');
  const isUpgrade = from.protocol === 'http:' && target.protocol === 'https:' && from.hostname === target.hostname;
  if (target.origin !== from.origin && !isUpgrade) {
    throw new WebProblem('a redirect to another host, which is not followed');
  }
  target.username = from.username;
  target.password = from.password;
  return target;
}

async function readBody({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (statusCode < 200 || statusCode > 299) {
    // The rest of the body is not wanted; leaving it unread would hold the connection.
    await body.dump();
    throw new WebProblem(`HTTP status ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new WebProblem(`the answer is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (isJson(text)) return text;
  const type = String(headers['content-type'] ?? 'no content type').slice(0, 60);
  throw new WebProblem(`the answer is not JSON (${type})`);
}

/** The whole answer where no path is given. Always text, as existing conditions expect (`asInt(result)`). */
function extract(text: string, jsonPath: string | undefined): string {
  return readJsonPath(parseJsonPath(jsonPath || '{$}'), JSON.parse(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function headersOf(target: URL, { headers = [] }: WebProvider): string[] {
  const flat = headers.flatMap(({ key, value }) => [key, value]);
  const isAuthorized = headers.some(({ key }) => key.toLowerCase() === 'authorization');
  if (target.username === '' || isAuthorized) return flat;
  const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
  return [...flat, 'authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function parseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

function describe(error: unknown): string {
  if (error instanceof WebProblem || error instanceof JsonPathError) return error.message;
  return describeTransportError(error);
}
