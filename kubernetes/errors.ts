/**
 * What can go wrong in a call to the apiserver, classified once. Owns the class, the closed list of reasons and the
 * shortening of the server's text: neither headers nor bodies nor field values may travel on, they can hold secrets.
 */

export type ApiErrorReason =
  | 'notFound'
  | 'conflict'
  | 'alreadyExists'
  /** 410: the history asked for is compacted away, list again. */
  | 'gone'
  /** 410 with reason Expired: the same for a continue token or a resourceVersion. */
  | 'expired'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid'
  | 'tooManyRequests'
  | 'unavailable'
  /** The server's (504, 408) or our own deadline passed. */
  | 'timeout'
  | 'network'
  /** The caller's signal or its time fence ended the call. */
  | 'aborted'
  | 'badRequest'
  | 'other';

export interface ApiErrorDetails {
  /** Field path and complaint, without the field's value. */
  causes?: { field?: string; message: string }[];
  kind?: string;
  name?: string;
  uid?: string;
}

interface ApiErrorFields {
  reason: ApiErrorReason;
  /** HTTP status; absent when no answer came. */
  status?: number;
  /** False only when it is certain that the server never saw the request. */
  sent: boolean;
  retryAfterMs?: number;
  details?: ApiErrorDetails;
  cause?: unknown;
}

/** The one error every method of the client throws. Its message is short and safe to show. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: ApiErrorReason;
  readonly status: number | undefined;
  readonly sent: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: ApiErrorDetails | undefined;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.reason = fields.reason;
    this.status = fields.status;
    this.sent = fields.sent;
    this.retryAfterMs = fields.retryAfterMs;
    this.details = fields.details;
  }
}

/** Is it an ApiError, and (when reasons are given) one for one of these reasons? */
export function isApiError(error: unknown, ...reasons: ApiErrorReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}

/** No answer arrived although the request may have: a write may have happened, or may still happen. */
export function isTransport(error: unknown): boolean {
  return error instanceof ApiError && error.status === undefined && error.sent;
}

/**
 * Can a write that failed like this have been carried out? True without an answer, and for 5xx and 408: the server
 * gives up waiting for etcd while the write goes on. Not an ApiError: unknown too.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return isTransport(error) || (error.status !== undefined && (error.status >= 500 || error.status === 408));
}
