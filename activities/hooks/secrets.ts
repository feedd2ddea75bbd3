/**
 * Secrets that hooks use: read when they are needed, kept for seconds, and masked in all that is told. Their values go to the
 * server that is asked and nowhere else.
 */

import { replaceText } from '../../core/hooks/text-search.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import type { SecretKey } from '../../crds/provider.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { type ResourceType, secrets } from '../../kubernetes/resource-types.ts';
import { ProviderProblem, type SecretValues } from './providers/types.ts';

interface SecretObject extends KubernetesObject {
  data?: Record<string, string>;
}

const SECRETS = secrets as ResourceType<SecretObject>;
/** A poll of one second must not read its Secret each second; a new token is used this soon. */
const KEPT_MS = 10_000;
const MAX_KEPT = 256;
const MASK = '***';
/** What is shorter stands in any text by chance: `80`, `on`. A value that a provider itself sends is masked at any length. */
const MIN_GUESSED_LENGTH = 4;

/** The Secrets of a process. */
export class SecretReader {
  readonly #client: Pick<KubernetesClient, 'get'>;
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, { untilMs: number; secret: Promise<SecretObject> }>();

  constructor(client: Pick<KubernetesClient, 'get'>, nowMs: () => number) {
    this.#client = client;
    this.#nowMs = nowMs;
  }

  /** For one measurement in a namespace. */
  open(namespace: string): SecretValues {
    return new MeasurementSecrets((name) => this.#read(namespace, name), namespace);
  }

  #read(namespace: string, name: string): Promise<SecretObject> {
    const key = `${namespace}/${name}`;
    const nowMs = this.#nowMs();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.secret;
    const secret = this.#client.get(SECRETS, { namespace, name });
    this.#kept.delete(key);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { untilMs: nowMs + KEPT_MS, secret });
    // A failure is not kept: what is missing may be there in a moment.
    secret.catch(() => this.#kept.delete(key));
    return secret;
  }
}

class MeasurementSecrets implements SecretValues {
  readonly #read: (name: string) => Promise<SecretObject>;
  readonly #namespace: string;
  readonly #masked = new Set<string>();

  constructor(read: (name: string) => Promise<SecretObject>, namespace: string) {
    this.#read = read;
    this.#namespace = namespace;
  }

  async read(field: string, { name, key }: SecretKey): Promise<string> {
    const { data = {} } = await this.#read(name).catch((error) => {
      throw new ProviderProblem(field, this.#describe(error, name));
    });
    const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
    if (encoded === undefined) throw new ProviderProblem(field, `Secret ${this.#namespace}/${name} has no key ${key}`);
    // An editor's last newline is not part of a token.
    const value = Buffer.from(encoded, 'base64')
      .toString('utf8')
      .replace(/\r?\n$/, '');
    if (value === '') throw new ProviderProblem(field, `key ${key} of Secret ${this.#namespace}/${name} is empty`);
    this.mask(value);
    return value;
  }

  async maskAll(name: string): Promise<void> {
    const { data = {} } = await this.#read(name).catch((): SecretObject => ({ metadata: { name } }));
    for (const encoded of Object.values(data)) {
      const value = Buffer.from(encoded, 'base64').toString('utf8').trim();
      if (value.length >= MIN_GUESSED_LENGTH) this.mask(value);
    }
  }

  mask(text: string): void {
    if (text === '') return;
    const lines = text.split(/\r?\n/).filter((line) => line.length >= MIN_GUESSED_LENGTH);
    const forms = [
      ...lines,
      text,
      Buffer.from(text).toString('base64'),
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
    ];
    for (const form of forms) this.#masked.add(form);
  }

  readonly redact = (text: string): string => {
    const longestFirst = [...this.#masked].sort((one, other) => other.length - one.length);
    return longestFirst.reduce((rest, secret) => replaceText(rest, secret, MASK), text);
  };

  #describe(error: unknown, name: string): string {
    const secret = `Secret ${this.#namespace}/${name}`;
    if (isApiError(error, 'notFound')) return `${secret} does not exist`;
    if (isApiError(error, 'forbidden')) return `${secret} may not be read by the controller`;
    if (isApiError(error)) return `${secret} could not be read: ${error.message}`;
    throw error;
  }
}
