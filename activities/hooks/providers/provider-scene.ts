/** What a provider needs in a test: arguments, Secrets in memory, and connections that are closed in the end. */
import type { KubernetesObject } from '../../../crds/kubernetes.ts';
import { ApiError } from '../../../kubernetes/errors.ts';
import type { ResourceType } from '../../../kubernetes/resource-types.ts';
import { AddressPolicy, type AddressRules } from '../http/addresses.ts';
import { HookAgents } from '../http/agents.ts';
import { SecretReader } from '../secrets.ts';
import type { ProviderContext, ProviderPorts } from './types.ts';

export class ProviderScene {
  /** Secrets of the namespace `default`, by name. */
  readonly secrets: Record<string, Record<string, string>> = {};
  /** Secrets that the API server refuses to show. */
  readonly forbidden = new Set<string>();
  readonly agents: HookAgents;
  /** How often a Secret was read. */
  reads = 0;

  constructor(addresses?: AddressRules) {
    this.agents = new HookAgents(new AddressPolicy(addresses));
  }

  context(args: Record<string, string> = {}, given: Partial<ProviderContext> = {}): ProviderContext {
    return {
      ports: this.#ports(),
      run: { namespace: 'default', name: 'run', uid: 'u1', podUid: undefined },
      args: new Map(Object.entries(args)),
      metricName: 'm',
      number: 1,
      begunAt: undefined,
      secrets: new SecretReader(this.#client, Date.now).open('default'),
      signal: new AbortController().signal,
      ...given,
    };
  }

  close(): Promise<void> {
    return this.agents.close();
  }

  #ports(): ProviderPorts {
    return {
      nowMs: Date.now,
      log: { warn: () => undefined },
      agents: this.agents,
      client: this.#client,
      kinds: new Map(),
    };
  }

  readonly #client = {
    get: async (_type: ResourceType, { name }: { name: string }): Promise<KubernetesObject> => {
      this.reads += 1;
      const values = this.secrets[name];
      if (this.forbidden.has(name)) throw new ApiError('no', { reason: 'forbidden', status: 403, sent: true });
      if (values === undefined) throw new ApiError('not found', { reason: 'notFound', status: 404, sent: true });
      const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      return { metadata: { name }, data: Object.fromEntries(encoded) } as KubernetesObject;
    },
  } as unknown as ProviderPorts['client'];
}

/** What a call that must fail says, as `field: message`. */
export async function problemOf(measuring: Promise<unknown>): Promise<string> {
  try {
    return `no problem: ${JSON.stringify(await measuring)}`;
  } catch (error) {
    const { field, message } = error as { field?: string; message: string };
    return field === undefined ? message : `${field}: ${message}`;
  }
}
