/** What the hooks of a process share: connections, Secrets that were read lately, and what the installation allows. */
import type { KubernetesClient } from '../../kubernetes/client.ts';
import type { ResourceType } from '../../kubernetes/resource-types.ts';
import { AddressPolicy, type AddressRules } from './http/addresses.ts';
import { HookAgents } from './http/agents.ts';
import { SecretReader } from './secrets.ts';

interface HookAllowances {
  /** Absent: DENIED_BY_DEFAULT and nothing else. */
  addresses?: AddressRules;
  /** Kinds besides Pod that the provider `kubernetes` may read and annotate. */
  kinds?: readonly ResourceType[];
}

export function createHookResources(client: KubernetesClient, { addresses, kinds = [] }: HookAllowances = {}) {
  return {
    agents: new HookAgents(new AddressPolicy(addresses)),
    kinds: new Map(kinds.map((type) => [`${type.group}/${type.version}/${type.kind}`, type])),
    secrets: new SecretReader(client, Date.now),
  };
}
