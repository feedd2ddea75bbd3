/**
 * One HTTP exchange of a hook, bounded in time and size: redirects on the same host are followed, a question without effect
 * is asked once more when a kept connection turns out to be closed. What is said about a failure holds no header, query or body.
 */
import { type Dispatcher, errors, request } from 'undici';
import type { Deadline } from '../../../kubernetes/deadline.ts';

/** A failure that is already described in one clause. */
export class ExchangeProblem extends Error {
  override readonly name = 'ExchangeProblem';
}

export interface HttpQuestion {
  method: Dispatcher.HttpMethod;
  /** Its user and password are sent as Basic authorization. */
  url: URL;
  /** Names and values in turn. */
  headers: readonly string[];
  body?: string;
  /** May it be sent twice? */
  isSafe: boolean;
  /** Is the body of an answer with this status wanted? */
  wantsBody: (status: number) => boolean;
}

export interface HttpReply {
  status: number;
  contentType: string;
  /** Empty where it was not wanted. */
  text: string;
}

interface Sending {
  dispatcher: Dispatcher;
  deadline: Deadline;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** @throws ExchangeProblem, or the error of the HTTP client. */
export async function exchange(question: HttpQuestion, sending: Sending): Promise<HttpReply> {
  let target = question.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await ask({ ...question, url: target }, sending);
    if (!('location' in answer)) return answer;
    target = redirectTarget(question, target, answer.location);
  }
  throw new ExchangeProblem(`more than ${MAX_REDIRECTS} redirects`);
}

type Answer = HttpReply | { location: string | undefined };

async function ask(question: HttpQuestion, sending: Sending): Promise<Answer> {
  try {
    return await askOnce(question, sending);
  } catch (error) {
    if (!question.isSafe || !isClosed(error) || sending.deadline.ended() !== undefined) throw error;
    return await askOnce(question, sending);
  }
}

async function askOnce(question: HttpQuestion, { dispatcher, deadline }: Sending): Promise<Answer> {
  const { statusCode, headers, body } = await request(withoutCredentials(question.url), {
    method: question.method,
    headers: headersOf(question),
    body: question.body,
    dispatcher,
    signal: deadline.signal,
  });
  if (REDIRECTS.has(statusCode)) {
    await body.dump();
    return { location: headers.location?.toString() };
  }
  const contentType = headers['content-type']?.toString() ?? 'no content type';
  if (question.wantsBody(statusCode)) return { status: statusCode, contentType, text: await readText(body) };
  // Leaving the rest unread would hold the connection.
  await body.dump();
  return { status: statusCode, contentType, text: '' };
}

/** Only to the same host, never from https to http: the headers may hold secrets. */
function redirectTarget({ method }: HttpQuestion, from: URL, location: string | undefined): URL {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ExchangeProblem(`a redirect of a ${method}, which is not followed`);
  const isUrl = location !== undefined && URL.canParse(location, from.href);
  if (!isUrl) throw new ExchangeProblem('a redirect without a valid target');
  const target = new URL(location, from);
  const isUpgrade = from.protocol === 'http:' && target.protocol === 'https:' && from.hostname === target.hostname;
  if (target.origin !== from.origin && !isUpgrade) {
    throw new ExchangeProblem('a redirect to another host, which is not followed');
  }
  target.username = from.username;
  target.password = from.password;
  return target;
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ExchangeProblem(`the answer is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf({ url, headers }: HttpQuestion): string[] {
  const isAuthorized = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  if (url.username === '' || isAuthorized) return [...headers];
  return [...headers, 'authorization', basicAuthorization(plain(url.username), plain(url.password))];
}

/** The value of an Authorization header. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function isClosed(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof errors.HTTPParserError) &&
    'code' in error &&
    CLOSED.has(String(error.code))
  );
}
