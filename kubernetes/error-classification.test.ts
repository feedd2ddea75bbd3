import { describe, expect, test } from 'vitest';
import { errorBeforeSending, errorFromAnswer, errorFromSetup, errorFromTransport } from './error-classification.ts';
import { ApiError, isApiError, isOutcomeUnknown, isTransport } from './errors.ts';

const status = (fields: object) => JSON.stringify({ kind: 'Status', ...fields });
const coded = (code: string) => Object.assign(new Error('socket'), { code });

describe('an answer', () => {
  test.each([
    ['404', 404, status({ reason: 'NotFound', message: 'pods "a" not found' }), 'notFound', false],
    ['409 of a stale version', 409, status({ reason: 'Conflict' }), 'conflict', false],
    ['409 of an existing name', 409, status({ reason: 'AlreadyExists' }), 'alreadyExists', false],
    ['410 Gone', 410, status({ reason: 'Gone' }), 'gone', false],
    ['410 Expired', 410, status({ reason: 'Expired' }), 'expired', false],
    ['401 without a body', 401, '', 'unauthorized', false],
    ['403', 403, status({ reason: 'Forbidden' }), 'forbidden', false],
    ['422', 422, status({ reason: 'Invalid' }), 'invalid', false],
    ['429', 429, status({ reason: 'TooManyRequests' }), 'tooManyRequests', false],
    ['429 of a proxy, in HTML', 429, '<html>', 'tooManyRequests', false],
    ['400', 400, status({ reason: 'BadRequest' }), 'badRequest', false],
    ['415', 415, status({ reason: 'UnsupportedMediaType' }), 'other', false],
    ['500', 500, status({ reason: 'InternalError' }), 'unavailable', true],
    ['500 ServerTimeout', 500, status({ reason: 'ServerTimeout' }), 'timeout', true],
    ['502 of a proxy, in HTML', 502, '<html>', 'unavailable', true],
    ['503', 503, status({ reason: 'ServiceUnavailable' }), 'unavailable', true],
    ['504, the write may go on in etcd', 504, status({ reason: 'Timeout' }), 'timeout', true],
    ['408', 408, '', 'timeout', true],
  ] as const)('%s', (_what, code, body, wantReason, wantUnknown) => {
    const error = errorFromAnswer(code, body);
    expect(error).toMatchObject({ reason: wantReason, status: code, sent: true });
    expect(isOutcomeUnknown(error)).toBe(wantUnknown);
    expect(isTransport(error)).toBe(false);
  });

  test.each([
    ['the header', '3', {}, 3_000],
    ['the details when there is no header', undefined, { details: { retryAfterSeconds: 2 } }, 2_000],
    ['nothing', undefined, {}, undefined],
    ['a date, which is not read', 'Wed, 21 Oct 2015 07:28:00 GMT', {}, undefined],
  ])('waits by %s', (_what, header, fields, want) => {
    expect(errorFromAnswer(429, status(fields), header).retryAfterMs).toBe(want);
  });

  test('a message is cut and never the whole body', () => {
    expect(errorFromAnswer(403, status({ message: 'x'.repeat(5_000) })).message).toHaveLength(512);
    expect(errorFromAnswer(502, '<html>secret</html>').message).toBe('the server answered 502');
  });
});

describe('the complaints of a 422 keep values to themselves', () => {
  test.each([
    ['a quoted value', 'Invalid value: "s3\\"cret": must be lower case', 'Invalid value: must be lower case'],
    [
      'a structured value',
      'Invalid value: {"env":"s3cret: x"}: must be lower case',
      'Invalid value: must be lower case',
    ],
    ['a value without a complaint', 'Duplicate value: "s3cret"', 'Duplicate value'],
    ['a number without a complaint', 'Duplicate value: 53', 'Duplicate value'],
    [
      'a choice',
      'Unsupported value: "s3cret": supported values: "a", "b"',
      'Unsupported value: supported values: "a", "b"',
    ],
    ['a CEL rule', 'Invalid value: "object": budgets are both zero', 'Invalid value: budgets are both zero'],
    ['a missing field', 'Required value', 'Required value'],
    ['a diff of a pod', 'Forbidden: may not change\ncore.PodSpec{Env: "s3cret"}', 'Forbidden: may not change'],
  ])('%s', (_what, message, want) => {
    const details = { kind: 'Pod', name: 'a', causes: [{ field: 'spec.x', message }] };
    const error = errorFromAnswer(422, status({ reason: 'Invalid', message: `Pod "a": ${message}`, details }));
    expect(error.details?.causes).toEqual([{ field: 'spec.x', message: want }]);
    expect(error.message).toBe(`Pod a is invalid: spec.x: ${want}`);
  });
});

describe('without an answer', () => {
  test.each([
    ['our time limit', coded('UND_ERR_ABORTED'), 'expired', 'timeout', true],
    ["the caller's signal", coded('UND_ERR_ABORTED'), 'aborted', 'aborted', true],
    ['a reset connection', coded('ECONNRESET'), undefined, 'network', true],
    ['a closed connection', coded('UND_ERR_SOCKET'), undefined, 'network', true],
    ['silence', coded('UND_ERR_HEADERS_TIMEOUT'), undefined, 'timeout', true],
    ['a refused connection', coded('ECONNREFUSED'), undefined, 'network', false],
    ['no connection in time', coded('UND_ERR_CONNECT_TIMEOUT'), undefined, 'timeout', false],
    ['an expired certificate: a running process tries on', coded('CERT_HAS_EXPIRED'), undefined, 'network', false],
    ['an unknown authority', coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), undefined, 'network', false],
    ['a host that nobody knows', coded('ENOTFOUND'), undefined, 'network', false],
    ['a nested cause', new Error('outer', { cause: coded('ECONNREFUSED') }), undefined, 'network', false],
    ['something unheard of', 'text', undefined, 'network', true],
  ] as const)('%s', (_what, cause, ended, wantReason, wantUnknown) => {
    const error = errorFromTransport(cause, 'GET /x', ended);
    expect(error).toMatchObject({ reason: wantReason, status: undefined, sent: wantUnknown });
    expect(isTransport(error)).toBe(wantUnknown);
    expect(isOutcomeUnknown(error)).toBe(wantUnknown);
  });

  test('an ApiError passes through unchanged', () => {
    const error = errorFromAnswer(404, '');
    expect(errorFromTransport(error, 'GET /x', 'expired')).toBe(error);
  });

  test('what was never sent has a known outcome', () => {
    expect(isOutcomeUnknown(errorBeforeSending('late'))).toBe(false);
    expect(isOutcomeUnknown(errorFromSetup(new Error('no kubeconfig')))).toBe(false);
  });
});

test('an error that is none of ours leaves the outcome unknown', () => {
  expect(isOutcomeUnknown(new TypeError('bug'))).toBe(true);
  expect(isApiError(new TypeError('bug'))).toBe(false);
});

test('isApiError asks for reasons', () => {
  const error = new ApiError('x', { reason: 'conflict', status: 409, sent: true });
  expect(isApiError(error, 'conflict', 'invalid')).toBe(true);
  expect(isApiError(error, 'notFound')).toBe(false);
  expect(isApiError(error)).toBe(true);
});
