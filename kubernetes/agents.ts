/**
 * The shared pools of connections to one apiserver: one for calls, one for watches, so that watches never starve
 * calls. Connections are made anew only when the credentials they were made with change.
 */
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { Connection } from './credentials.ts';

/** HTTP/2 answers to a ping within this, or the connection is dropped one interval later: 4 s at most. */
const PING_INTERVAL_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A quiet watch brings a bookmark each 60 s; longer silence means a dead stream (HTTP/1.1 has no ping). */
const WATCH_SILENCE_MS = 100_000;
const MEBIBYTE = 1024 * 1024;

interface Agents {
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

/** Hands out the pools for a connection and replaces them when it differs from the last one. */
export class AgentPools {
  readonly #callConnections: number;
  #current: (Agents & { fingerprint: string }) | undefined;
  #isClosed = false;

  constructor(callConnections: number) {
    this.#callConnections = callConnections;
  }

  for(connection: Connection): Agents {
    if (this.#isClosed) throw new Error('the client is closed');
    if (this.#current?.fingerprint === connection.fingerprint) return this.#current;
    // Requests and watches under way finish on the old connections.
    if (this.#current !== undefined) void Promise.all([this.#current.calls.close(), this.#current.watches.close()]);
    this.#current = {
      fingerprint: connection.fingerprint,
      calls: openPool(connection, callOptions(connection, this.#callConnections)),
      watches: openPool(connection, watchOptions(connection)),
    };
    return this.#current;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) await Promise.all([current.calls.destroy(), current.watches.destroy()]);
  }
}

/** HTTP/1.1: measured as fast as HTTP/2 here, and an aborted call cannot disturb others on its connection. */
function callOptions(connection: Connection, connections: number): Agent.Options {
  return {
    connections,
    allowH2: false,
    keepAliveTimeout: 30_000,
    connect: { ...connection.tls, timeout: CONNECT_TIMEOUT_MS },
  };
}

/** HTTP/2 where the server offers it, else as many HTTP/1.1 connections as there are watches. */
function watchOptions(connection: Connection): Agent.Options {
  return {
    allowH2: true,
    bodyTimeout: WATCH_SILENCE_MS,
    // A paused stream must not use up the window of the whole connection.
    h2Options: {
      pingInterval: PING_INTERVAL_MS,
      connectionWindowSize: 32 * MEBIBYTE,
      settings: { initialWindowSize: MEBIBYTE },
    },
    connect: { ...connection.tls, timeout: CONNECT_TIMEOUT_MS },
  };
}

function openPool(connection: Connection, options: Agent.Options): Dispatcher {
  if (connection.proxyUrl === undefined) return new Agent(options);
  if (!/^https?:/.test(connection.proxyUrl)) throw new Error('only http and https proxies are supported (proxy-url)');
  return new ProxyAgent({ ...options, uri: connection.proxyUrl, requestTls: connection.tls });
}
