/**
 * What the controller is told: flags first, then the environment, then defaults. One table is the source of the flags,
 * their help and their checks. Reads nothing but what it is handed.
 */
import { hostname } from 'node:os';
import { z } from 'zod';
import { type AddressRules, DENIED_BY_DEFAULT, isNetwork } from '../activities/hooks/http/addresses.ts';
import type { ResourceType } from '../kubernetes/resource-types.ts';
import { parseHookKind } from './hook-kinds.ts';
import { CannotStart } from './startup-error.ts';

export interface ControllerConfig {
  /** Absent: `$KUBECONFIG`, the home directory or the pod's service account, in that order. */
  kubeconfigPath?: string;
  context?: string;
  /** Both absent: as the environment and the configuration file of the Temporal CLI say. */
  temporalAddress?: string;
  temporalNamespace?: string;
  /** Of /metrics, /healthz and /readyz; port 0 takes any free one. */
  listen: { host: string; port: number };
  /** Names this process in Temporal, in events and in the log. */
  identity: string;
  logLevel: LogLevel;
  /** Writes to the apiserver per second, and how many may go at once. */
  writes: { qps: number; burst: number };
  slots: { observe: number; move: number; hooks: number };
  hooks: HookRules;
  cachedWorkflows: number;
  registerSearchAttributes: boolean;
}

/** What the hooks of an installation may reach. */
export interface HookRules {
  addresses: AddressRules;
  /** Kinds besides Pod that the provider `kubernetes` may read and annotate. */
  kinds: ResourceType[];
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

interface Setting {
  /** As typed: `--write-qps`. */
  flag: string;
  env: string;
  /** Of the value in help; absent for a switch. */
  value?: string;
  help: string;
  fallback: string;
  schema: z.ZodType;
}

const count = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error: `must be between ${minimum} and ${maximum}` });

const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^:]*):\d{1,5}$/, { error: 'must be host:port' })
  .transform((text) => ({ host: hostOf(text), port: Number(text.slice(text.lastIndexOf(':') + 1)) }))
  .refine(({ port }) => port < 65_536, { error: 'must have a port below 65536' });

/** Commas between items, none for an empty text. */
const listOf = <T>(parse: (item: string) => T | undefined, error: string) =>
  z.string().transform((text, context) => {
    const items = text.split(',').map((item) => item.trim());
    const parsed = items.filter((item) => item !== '').map((item) => ({ item, value: parse(item) }));
    const wrong = parsed.find(({ value }) => value === undefined);
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: `${wrong.item} ${error}`, input: text });
    return parsed.map(({ value }) => value);
  });

const networks = listOf((item) => (isNetwork(item) ? item : undefined), 'is no network such as 10.0.0.0/8');

const flagValue = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true');

function setting(flag: string, value: string | undefined, fallback: string, schema: z.ZodType, help: string): Setting {
  const env = `HOLDFAST_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
  return { flag, env, value, help, fallback, schema };
}

const LISTEN = setting(
  '--listen',
  'host:port',
  '0.0.0.0:10251',
  address,
  'where /metrics, /healthz and /readyz answer; port 0 takes any free one',
);
const IDENTITY = setting(
  '--identity',
  'name',
  '',
  z.string().max(200),
  'name of this process; its pod or host and pid',
);
const LOG_LEVEL = setting(
  '--log-level',
  'level',
  'info',
  z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
  LOG_LEVELS.join(', '),
);
const WRITE_QPS = setting('--write-qps', 'n', '500', count(1, 100_000), 'writes to the apiserver per second');
const WRITE_BURST = setting('--write-burst', 'n', '1000', count(1, 100_000), 'writes that may go at once');
const OBSERVE_SLOTS = setting(
  '--observe-slots',
  'n',
  '1000',
  count(1, 100_000),
  'workloads watched at once while moving',
);
const MOVE_SLOTS = setting('--move-slots', 'n', '100', count(1, 10_000), 'batches of writes carried out at once');
const HOOK_SLOTS = setting('--hook-slots', 'n', '500', count(1, 10_000), 'HookRuns measured at once');
const HOOK_DENY = setting(
  '--hook-deny',
  'networks',
  DENIED_BY_DEFAULT.join(','),
  networks,
  'addresses that hooks may never ask',
);
const HOOK_ALLOW = setting(
  '--hook-allow',
  'networks',
  '',
  networks,
  'the only addresses that hooks may ask; empty: all',
);
const HOOK_KINDS = setting(
  '--hook-kinds',
  'kinds',
  '',
  listOf(parseHookKind, 'is no kind such as deployments.v1.apps=Deployment'),
  'kinds besides Pod that hooks may read and annotate, as deployments.v1.apps=Deployment; `holdfast install` needs the same',
);
const CACHED = setting('--cached-workflows', 'n', '1000', count(1, 10_000), 'workflows kept in memory, 1 to 2 MB each');
const REGISTER = setting(
  '--register-search-attributes',
  undefined,
  'false',
  flagValue,
  'register missing search attributes, as `holdfast install` does',
);

/** Every setting that has a flag and a variable of its own, in the order of help. */
export const SETTINGS: readonly Setting[] = [
  ...[LISTEN, IDENTITY, LOG_LEVEL, WRITE_QPS, WRITE_BURST],
  ...[OBSERVE_SLOTS, MOVE_SLOTS, HOOK_SLOTS, CACHED, REGISTER],
  ...[HOOK_DENY, HOOK_ALLOW, HOOK_KINDS],
];

/** Flags as they were typed, by their name without dashes, e.g. `write-qps`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** @throws CannotStart with exit code 2 that names the flag or the variable and what is wrong with its value. */
export function readConfig(flags: Flags, env: Environment): ControllerConfig {
  const read = <T>(which: Setting) => readSetting<T>(which, flags, env);
  return {
    kubeconfigPath: text(flags.kubeconfig),
    context: text(flags.context),
    temporalAddress: text(flags['temporal-address']),
    temporalNamespace: text(flags['temporal-namespace']),
    listen: read<ControllerConfig['listen']>(LISTEN),
    identity: read<string>(IDENTITY) || env.POD_NAME || `${hostname()}-${process.pid}`,
    logLevel: read<LogLevel>(LOG_LEVEL),
    writes: { qps: read<number>(WRITE_QPS), burst: read<number>(WRITE_BURST) },
    slots: { observe: read<number>(OBSERVE_SLOTS), move: read<number>(MOVE_SLOTS), hooks: read<number>(HOOK_SLOTS) },
    hooks: {
      addresses: { deny: read<string[]>(HOOK_DENY), allow: read<string[]>(HOOK_ALLOW) },
      kinds: read<ResourceType[]>(HOOK_KINDS),
    },
    cachedWorkflows: read<number>(CACHED),
    registerSearchAttributes: read<boolean>(REGISTER),
  };
}

function readSetting<T>({ flag, env: variable, fallback, schema }: Setting, flags: Flags, env: Environment): T {
  const typed = flags[flag.slice(2)];
  const isTyped = typed !== undefined;
  const value = isTyped ? String(typed) : env[variable] || fallback;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as T;
  const why = parsed.error.issues[0]?.message ?? 'is not understood';
  throw new CannotStart(`${isTyped ? flag : variable} is "${value}": ${why}`, { exitCode: 2 });
}

const text = (value: string | boolean | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);

function hostOf(listen: string): string {
  const host = listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === '' ? '0.0.0.0' : host;
}
