/**
 * Turns an HTTP answer or a failed connection into an ApiError. The only place that looks at status codes, Status
 * objects and undici's error codes.
 */
import { errorCode, isRefusedHere, sayConnectionProblem } from './connection-problems.ts';
import type { Ending } from './deadline.ts';
import { ApiError, type ApiErrorDetails, type ApiErrorReason } from './errors.ts';

const MAX_MESSAGE = 512;
const MAX_CAUSES = 8;

/** `metav1.Status` as far as it is read. */
export interface KubernetesStatus {
  kind: 'Status';
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    kind?: string;
    name?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { field?: string; message?: string; reason?: string }[];
  };
}

/** An answer that is no success. `retryAfter` is the header as it came (seconds; dates are not used by apiservers). */
export function errorFromAnswer(status: number, body: string, retryAfter?: string): ApiError {
  return errorFromStatus(parseStatus(body), status, retryAfter);
}

/** A Status that came inside a stream (a watch's ERROR event), or the body of a failed answer. */
export function errorFromStatus(status: KubernetesStatus | undefined, code: number, retryAfter?: string): ApiError {
  const reason = reasonOf(code, status?.reason);
  const details = status === undefined ? undefined : detailsOf(status);
  return new ApiError(messageOf(code, reason, status, details), {
    reason,
    status: code,
    sent: true,
    retryAfterMs: retryAfterMs(retryAfter, status),
    details,
  });
}

/** A request that got no answer. `ended` says whether the time limit or the caller ended it. ApiErrors pass through. */
export function errorFromTransport(cause: unknown, what: string, ended: Ending | undefined): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = errorCode(cause);
  const sent = code === undefined || !(NEVER_SENT.has(code) || isRefusedHere(code));
  if (ended === 'aborted') return new ApiError(`${what} was cancelled`, { reason: 'aborted', sent, cause });
  if (ended === 'expired' || (code !== undefined && TIMED_OUT.has(code))) {
    return new ApiError(`${what} got no answer in time`, { reason: 'timeout', sent, cause });
  }
  return new ApiError(`${what} failed: ${sayConnectionProblem(cause)}`, { reason: 'network', sent, cause });
}

/** No request was made because kubeconfig, token or certificates could not be read. */
export function errorFromSetup(cause: unknown): ApiError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(shorten(`no access to the cluster: ${why}`), { reason: 'other', sent: false, cause });
}

/** The server answered with something that is not the API's JSON: a proxy's page, or a stream gone astray. */
export function errorFromGarbage(cause: unknown, what: string): ApiError {
  return new ApiError(`${what} was answered with something that is no JSON of the API`, {
    reason: 'other',
    sent: true,
    cause,
  });
}

/** The call was given up before anything was sent: the outcome is known. */
export function errorBeforeSending(message: string): ApiError {
  return new ApiError(message, { reason: 'aborted', sent: false });
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const TIMED_OUT: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const BY_STATUS_REASON: Readonly<Record<string, ApiErrorReason>> = {
  NotFound: 'notFound',
  AlreadyExists: 'alreadyExists',
  Conflict: 'conflict',
  Gone: 'gone',
  Expired: 'expired',
  Forbidden: 'forbidden',
  Unauthorized: 'unauthorized',
  Invalid: 'invalid',
  TooManyRequests: 'tooManyRequests',
  ServiceUnavailable: 'unavailable',
  InternalError: 'unavailable',
  Timeout: 'timeout',
  ServerTimeout: 'timeout',
  BadRequest: 'badRequest',
};

const BY_CODE: Readonly<Record<number, ApiErrorReason>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  408: 'timeout',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
  429: 'tooManyRequests',
  504: 'timeout',
};

function reasonOf(code: number, statusReason: string | undefined): ApiErrorReason {
  const named = statusReason === undefined ? undefined : BY_STATUS_REASON[statusReason];
  return named ?? BY_CODE[code] ?? (code >= 500 ? 'unavailable' : 'other');
}

function parseStatus(body: string): KubernetesStatus | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isStatus = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
    return isStatus ? (value as KubernetesStatus) : undefined;
  } catch {
    return undefined;
  }
}

function detailsOf(status: KubernetesStatus): ApiErrorDetails | undefined {
  const { details } = status;
  if (details === undefined) return undefined;
  const causes = details.causes?.slice(0, MAX_CAUSES).map((cause) => ({
    field: cause.field,
    message: withoutValue(cause.message ?? cause.reason ?? 'refused'),
  }));
  return { kind: details.kind, name: details.name, uid: details.uid, ...(causes === undefined ? {} : { causes }) };
}

function messageOf(
  code: number,
  reason: ApiErrorReason,
  status: KubernetesStatus | undefined,
  details: ApiErrorDetails | undefined,
): string {
  // The text of a 422 quotes field values; it is told again from the causes, which are stripped of them.
  if (reason === 'invalid') {
    const causes = details?.causes?.map((cause) => (cause.field ? `${cause.field}: ${cause.message}` : cause.message));
    const object = [details?.kind, details?.name].filter(Boolean).join(' ') || 'object';
    return shorten(`${object} is invalid${causes?.length ? `: ${causes.join('; ')}` : ''}`);
  }
  return shorten(status?.message ?? `the server answered ${code}`);
}

/** `Invalid value: "secret": must be x` → `Invalid value: must be x`; a pod diff is cut at its first line. */
function withoutValue(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  const quoting = /^(Invalid value|Unsupported value|Duplicate value|Too long|Not found): /.exec(line);
  if (quoting === null) return shorten(line);
  const rest = line.slice(quoting[0].length);
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(rest);
  const after = quoted === null ? rest.slice(rest.lastIndexOf(': ') + 1) : rest.slice(quoted[0].length);
  const complaint = after.replace(/^:?\s*/, '');
  const hasComplaint = complaint !== '' && (quoted !== null || rest.includes(': '));
  return shorten(hasComplaint ? `${quoting[1]}: ${complaint}` : `${quoting[1]}`);
}

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}

function retryAfterMs(header: string | undefined, status: KubernetesStatus | undefined): number | undefined {
  const seconds = header === undefined ? status?.details?.retryAfterSeconds : Number(header);
  return seconds !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
