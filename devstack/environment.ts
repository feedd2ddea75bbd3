/** The environment of a stack: what a process is told to find its servers, and the file a shell reads it from. */
import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ComponentName, ServerContext } from './servers.ts';
import { auditLogPath, temporalConfigPath } from './servers.ts';

export type Environment = Record<string, string>;

/** Only what runs is named. */
export function describeEnvironment(context: ServerContext): Environment {
  const { dir, ports, components, credentials } = context;
  const runs = (name: ComponentName) => components.includes(name);
  return {
    DEVSTACK_DIR: dir,
    DEVSTACK_BIN: dirname(context.binaries.kubectl),
    ...(runs('kube-apiserver') && { KUBECONFIG: credentials.kubeconfig, DEVSTACK_AUDIT_LOG: auditLogPath(dir) }),
    ...(runs('temporal') && {
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_CONFIG_FILE: temporalConfigPath(dir),
      TEMPORAL_UI: `http://127.0.0.1:${ports.temporalUi}`,
    }),
    ...(runs('prometheus') && { PROMETHEUS_URL: `http://127.0.0.1:${ports.prometheus}` }),
  };
}

/** Names of what a shell may have of another Temporal: keys, certificates, a profile. */
const FOREIGN_NAMES = String.raw`env | sed -n 's/^\(TEMPORAL_[A-Za-z0-9_]*\)=.*/\1/p'`;

/** Lines a shell can source. */
export function renderEnvironment(environment: Environment): string {
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}\n`);
  const isTemporal = environment.TEMPORAL_ADDRESS !== undefined;
  return [...(isTemporal ? [`unset TEMPORAL_API_KEY $(${FOREIGN_NAMES})\n`] : []), ...exports].join('');
}

/** A word as a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Writes the file whole or not at all: whoever waits for it may read it as soon as it exists. */
export function writeEnvironmentFile(path: string, environment: Environment): void {
  const draft = `${path}.${process.pid}.partial`;
  writeFileSync(draft, renderEnvironment(environment));
  renameSync(draft, path);
}
