/** What went wrong on the way to a hook's server, in one clause without anything that the request or answer held. */
import { errors } from 'undici';
import { AddressDenied } from './agents.ts';
import { ExchangeProblem } from './exchange.ts';

const CLAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EPIPE: 'the connection was closed before the answer was complete',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made in time',
  ETIMEDOUT: 'no connection was made in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  UND_ERR_INVALID_ARG: 'a header cannot be sent',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};

/** The clause for an error of an exchange; an unknown one is named by its code only. */
export function describeTransportError(error: unknown): string {
  if (error instanceof ExchangeProblem || error instanceof AddressDenied) return error.message;
  if (error instanceof errors.HTTPParserError) return 'the answer is not HTTP';
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  if (Object.hasOwn(CLAUSES, code)) return CLAUSES[code] as string;
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return `the certificate is not trusted (${code})`;
  return `the request failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
