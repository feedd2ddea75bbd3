/** Why a connection did not come to be, in words, and whether time heals it. The only place that knows Node's codes of TLS. */

/** What this side says of the certificate it was shown; nothing was sent then. */
const REFUSED_HERE: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The other side wants another certificate of ours, or does not speak TLS; the first may come after a request was sent. */
const REFUSED_THERE = /^ERR_SSL_.*(?:ALERT_.*CERTIFICATE|ALERT_UNKNOWN_CA|ALERT_ACCESS_DENIED)/;
const NO_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE|HTTP_REQUEST)$/;

/** The code of an error or of what caused it. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? errorCode(error.cause) : undefined;
}

/** The request was never sent, since the certificate of the server is not accepted. */
export const isRefusedHere = (code: string): boolean => REFUSED_HERE.has(code);

/** The two sides do not accept each other's certificates, until somebody changes one or the clock. */
export function isUntrusted(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && (REFUSED_HERE.has(code) || REFUSED_THERE.test(code) || NO_TLS.test(code));
}

/** A few words with the code that people look for. */
export function sayConnectionProblem(error: unknown): string {
  const code = errorCode(error);
  const said = messageOf(error).slice(0, 120);
  if (code === undefined) return said;
  const words = NO_TLS.test(code) ? 'the server does not speak TLS' : wordsFor(code, error);
  return words === undefined ? code : `${words} (${code})`;
}

function wordsFor(code: string, error: unknown): string | undefined {
  const name = hostnameOf(error);
  if (code === 'ENOTFOUND') return `there is no host ${name}`;
  if (code === 'EAI_AGAIN') return `the host ${name} cannot be looked up now`;
  if (REFUSED_THERE.test(code)) return 'the server does not accept our certificate';
  return REFUSED_HERE.has(code) ? `certificate not accepted: ${innermost(error).slice(0, 200)}` : undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

/** Where the code stands is the message that belongs to it. */
function innermost(error: unknown): string {
  const isOuter = error instanceof Error && !('code' in error) && error.cause !== undefined;
  return isOuter ? innermost(error.cause) : messageOf(error);
}

function hostnameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('hostname' in error) return String(error.hostname);
  return 'cause' in error ? hostnameOf(error.cause) : '';
}
