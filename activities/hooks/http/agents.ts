/**
 * The connections of all hooks of a process: kept open between measurements, apart for each set of trusted certificates.
 * An address is judged when a connection is made, after its name was resolved: what a name led to before proves nothing.
 */
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { lookup as lookUpName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { AddressPolicy } from './addresses.ts';

/** Whom a connection over TLS trusts; nothing set: the authorities of the system. */
export interface Trust {
  /** Certificates in PEM. */
  ca?: string;
  /** Anybody. */
  insecure?: boolean;
}

/** The policy forbids the address that a host leads to. */
export class AddressDenied extends Error {
  override readonly name = 'AddressDenied';

  constructor(address: string) {
    super(`the host leads to ${address}, which hooks may not ask (--hook-deny, --hook-allow)`);
  }
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** Sets of certificates whose connections stay open; the one that was used longest ago goes first. */
const MAX_AGENTS = 32;

export class HookAgents {
  readonly #policy: AddressPolicy;
  readonly #lookUp: LookUp;
  readonly #agents = new Map<string, Agent>();

  constructor(policy = new AddressPolicy(), lookUp: LookUp = lookUpName) {
    this.#policy = policy;
    this.#lookUp = onceAtATime(lookUp);
  }

  for({ ca, insecure = false }: Trust = {}): Dispatcher {
    const key = JSON.stringify([ca, insecure]);
    const agent = this.#agents.get(key) ?? this.#open({ ca, insecure });
    // Set anew: the map then is in the order of use.
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    const [oldest, old] = this.#agents.entries().next().value ?? [];
    if (this.#agents.size > MAX_AGENTS && oldest !== undefined) {
      this.#agents.delete(oldest);
      void old?.close();
    }
    return agent;
  }

  /** Drops every connection, also those in use. */
  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #open({ ca, insecure }: Trust): Agent {
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      lookup: judgedLookup(this.#policy, this.#lookUp),
      ...(ca !== undefined && { ca }),
      rejectUnauthorized: insecure !== true,
    });
    return new Agent({
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // As many connections to one host as questions: in a queue those that get no answer would hold up all others.
      connections: null,
      connect: (options, callback) => {
        // An address in place of a name is never looked up.
        const host = options.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && !this.#policy.permits(host)) callback(new AddressDenied(host), null);
        else connect(options, callback);
      },
    });
  }
}

type LookUp = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

/** A lookup takes one of the few threads of the process until it is answered: however many ask for a name, it takes one. */
function onceAtATime(lookUp: LookUp): LookUp {
  const open = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, options) => {
    const key = JSON.stringify([hostname, options.family, options.hints]);
    const looking = open.get(key) ?? lookUp(hostname, options).finally(() => open.delete(key));
    open.set(key, looking);
    return looking;
  };
}

/** A name with one forbidden address is not to be trusted with its others. */
function judgedLookup(policy: AddressPolicy, lookUp: LookUp): LookupFunction {
  return (hostname, options, callback) => {
    const judge = (addresses: LookupAddress[]) => {
      const denied = addresses.find(({ address }) => !policy.permits(address));
      if (denied !== undefined) return callback(new AddressDenied(denied.address), []);
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    };
    lookUp(hostname, { ...options, all: true }).then(judge, (error: NodeJS.ErrnoException) => callback(error, []));
  };
}
