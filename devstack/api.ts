/** The few requests devstack itself makes to its apiserver (readiness, nodes). Not a client for anything else. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Credentials } from './credentials.ts';

export interface ApiAnswer {
  status: number;
  body: unknown;
}

/** Patches are JSON merge patches unless another content type is given. */
export type ApiCall = (method: Method, path: string, body?: unknown, contentType?: string) => Promise<ApiAnswer>;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Opens a connection lazily: the authority's file appears only when the apiserver has started once. */
export function connectApi(credentials: Credentials): { call: ApiCall; close: () => Promise<void> } {
  let agent: Agent | undefined;
  const call: ApiCall = async (method, path, body, contentType = defaultContentType(method)) => {
    agent ??= new Agent({ connect: { ca: readFileSync(credentials.caFile, 'utf8') }, connections: 4 });
    const answer = await request(credentials.server + path, {
      method,
      dispatcher: agent,
      headersTimeout: 10_000,
      headers: { authorization: `Bearer ${credentials.token}`, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { call, close: async () => agent?.destroy() };
}

function defaultContentType(method: Method): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}
