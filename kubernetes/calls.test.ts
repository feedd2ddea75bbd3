import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Calls } from './calls.ts';
import { TokenBucket } from './token-bucket.ts';
import type { HttpAnswer, HttpRequest } from './transport.ts';

/** Answers in order; the last one again and again. Conformance: throttling.test.ts does the same with a real server. */
function answering(...answers: HttpAnswer[]) {
  const sent: { request: HttpRequest; at: number; timeoutMs: number }[] = [];
  const transport = {
    send: async (request: HttpRequest, limits: { timeoutMs: number }) => {
      sent.push({ request, at: performance.now(), timeoutMs: limits.timeoutMs });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return answer!;
    },
  };
  return { transport, sent };
}

const ok: HttpAnswer = { status: 200, body: '{"ok":true}', retryAfter: undefined };
const busy: HttpAnswer = { status: 429, body: '', retryAfter: '1' };
const overloaded: HttpAnswer = { status: 503, body: '', retryAfter: '1' };
const post: HttpRequest = { method: 'POST', path: '/x' };
const get: HttpRequest = { method: 'GET', path: '/x' };

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

async function settle<T>(call: Promise<T>): Promise<{ value?: T; error?: unknown }> {
  const settled = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await vi.runAllTimersAsync();
  return settled;
}

test('both sides have a time limit, the server the shorter one', async () => {
  const { transport, sent } = answering(ok);
  await new Calls(transport, undefined).send(get, {});
  await new Calls(transport, undefined).send(get, { timeoutMs: 3_000 });
  expect(sent.map(({ request, timeoutMs }) => [request.query?.get('timeout'), timeoutMs])).toEqual([
    ['10s', 12_000],
    ['3s', 5_000],
  ]);
});

describe('repetition', () => {
  test.each<[string, HttpRequest, HttpAnswer, number]>([
    ['a write after 429 with Retry-After', post, busy, 2],
    ['a read after 429 with Retry-After', get, busy, 2],
    ['a read after 503 with Retry-After', get, overloaded, 2],
    ['no write after 503: it may have been carried out', post, overloaded, 1],
    ['nothing after 429 without Retry-After', post, { ...busy, retryAfter: undefined }, 1],
    ['nothing after 500', get, { ...overloaded, status: 500 }, 1],
    ['nothing after 409', post, { ...busy, status: 409 }, 1],
  ])('%s', async (_what, request, first, wantSent) => {
    const { transport, sent } = answering(first, ok);
    const { value } = await settle(new Calls(transport, undefined).send(request, {}));
    expect(sent).toHaveLength(wantSent);
    expect(value).toEqual(wantSent === 2 ? { ok: true } : undefined);
    if (wantSent === 2) expect(sent[1]!.at - sent[0]!.at).toBeGreaterThanOrEqual(1_000);
  });

  test('ends after a few tries', async () => {
    const { transport, sent } = answering(busy);
    const { error } = await settle(new Calls(transport, undefined).send(post, {}));
    expect(error).toMatchObject({ reason: 'tooManyRequests' });
    expect(sent).toHaveLength(6);
  });

  test('ends at once when the server wants a longer wait than a call may last', async () => {
    const { transport, sent } = answering({ ...busy, retryAfter: '60' });
    const { error } = await settle(new Calls(transport, undefined).send(post, {}));
    expect(error).toMatchObject({ reason: 'tooManyRequests', retryAfterMs: 60_000 });
    expect(sent).toHaveLength(1);
  });
});

describe('the bucket', () => {
  test('holds writes back and lets reads pass', async () => {
    const { transport, sent } = answering(ok);
    const calls = new Calls(transport, new TokenBucket({ qps: 1, burst: 1 }));
    await settle(Promise.all([calls.send(post, {}), calls.send(post, {}), calls.send(get, {})]));
    const startedAt = sent[0]!.at;
    const held = sent.map(({ request, at }) => `${request.method} ${Math.round(at - startedAt)}`);
    expect(held.sort()).toEqual(['GET 0', 'POST 0', 'POST 1000']);
  });

  test('a write that would get its token after the fence is given up unsent', async () => {
    const { transport, sent } = answering(ok);
    const calls = new Calls(transport, new TokenBucket({ qps: 1, burst: 1 }));
    await calls.send(post, {});
    const { error } = await settle(calls.send(post, { notAfter: performance.now() + 100 }));
    expect(error).toMatchObject({ reason: 'aborted', sent: false });
    expect(sent).toHaveLength(1);
  });
});

test('an answer that is no JSON is an error of its own', async () => {
  const { transport } = answering({ ...ok, body: '<html>' });
  const { error } = await settle(new Calls(transport, undefined).send(get, {}));
  expect(error).toMatchObject({ reason: 'other', sent: true });
});
