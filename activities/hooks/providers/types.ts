/** What every provider is given and what it brings back. */
import type { Value } from '../../../core/hooks/expression/syntax.ts';
import type { SecretKey } from '../../../crds/provider.ts';
import type { KubernetesClient } from '../../../kubernetes/client.ts';
import type { ResourceType } from '../../../kubernetes/resource-types.ts';
import type { Logger } from '../../ports.ts';
import type { HookAgents } from '../http/agents.ts';

/**
 * - `value`: for the conditions to judge. `shown` stands in the status in place of the value, `note` beside the verdict.
 * - `verdict`: the provider's own, conditions are not asked.
 * - `pending`: it goes on outside; look again after that time. `startedAt` once it is known to have begun.
 */
export type ProviderAnswer =
  | { value: Value; shown?: string; note?: string }
  | {
      verdict: 'Successful' | 'Failed' | 'Inconclusive' | 'Error';
      message?: string;
      shown?: string;
      startedAt?: string;
    }
  | { pending: string; againInMs: number; startedAt?: string };

/** Why there is no measurement: the field that is to blame (below the metric) and a sentence about it. */
export class ProviderProblem extends Error {
  override readonly name = 'ProviderProblem';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The HookRun that is measured. */
export interface MeasuredRun {
  namespace: string;
  name: string;
  uid: string;
  /** Of the pod whose gate it is. */
  podUid: string | undefined;
}

/** Secrets of the run's namespace. What was read is masked in everything that is told of the measurement. */
export interface SecretValues {
  /** @throws ProviderProblem that names `field` and the Secret, never its content. */
  read(field: string, key: SecretKey): Promise<string>;
  /** All values of a Secret, to be masked; a Secret that cannot be read is left out. */
  maskAll(secretName: string): Promise<void>;
  /** Something made of secrets that is sent as a whole. */
  mask(text: string): void;
  /** `text` without any of them. To be asked before a text is cut. */
  readonly redact: (text: string) => string;
}

/** What all providers share in a process. */
export interface ProviderPorts {
  /** Epoch milliseconds. */
  nowMs: () => number;
  log: Pick<Logger, 'warn'>;
  agents: HookAgents;
  client: Pick<KubernetesClient, 'get' | 'list' | 'create' | 'patch' | 'delete' | 'readLog'>;
  /** Kinds that the provider `kubernetes` may read and annotate besides pods, by `group/version/Kind`. */
  kinds: ReadonlyMap<string, ResourceType>;
}

export interface ProviderContext {
  ports: ProviderPorts;
  run: MeasuredRun;
  args: ReadonlyMap<string, string>;
  metricName: string;
  /** Which measurement of the metric this is, from 1. */
  number: number;
  /** Since when this measurement goes on outside, as the HookRun says. */
  begunAt: string | undefined;
  secrets: SecretValues;
  /** Aborted: the measurement is given up, not counted. */
  signal: AbortSignal;
}

/**
 * One look.
 * @throws ProviderProblem when there is no measurement, the signal's reason when it is aborted.
 */
export type MeasureProvider<P> = (provider: P, context: ProviderContext) => Promise<ProviderAnswer>;
