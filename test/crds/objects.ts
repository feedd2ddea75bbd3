/** The smallest valid object of each kind, and the means to change one thing in it. */
import { API_VERSION } from '../../crds/api.ts';

/** A manifest before anybody checked it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; resourceVersion?: string };
  spec: Record<string, unknown>;
}

export type MakeManifest = () => Manifest;

const template = () => ({
  metadata: { labels: { app: 'lobby' } },
  spec: { containers: [{ name: 'game', image: 'registry.example/game:1' }] },
});

export function makeGameDeployment(): Manifest {
  const spec = { selector: { matchLabels: { app: 'lobby' } }, template: template(), updateStrategy: {} };
  return { apiVersion: API_VERSION, kind: 'GameDeployment', metadata: { name: 'lobby' }, spec };
}

export function makeGameStatefulSet(): Manifest {
  const spec = { serviceName: 'world', selector: { matchLabels: { app: 'lobby' } }, template: template() };
  return { apiVersion: API_VERSION, kind: 'GameStatefulSet', metadata: { name: 'world' }, spec };
}

export function makeHookTemplate(): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'HookTemplate',
    metadata: { name: 'drained' },
    spec: { metrics: [metric()] },
  };
}

export function makeHookRun(): Manifest {
  return { apiVersion: API_VERSION, kind: 'HookRun', metadata: { name: 'drained-1' }, spec: { metrics: [metric()] } };
}

function metric() {
  return {
    name: 'players',
    successCondition: 'asInt(result) == 0',
    provider: { web: { url: 'http://game.example/' } },
  };
}

/** Field paths as the API server writes them, such as `spec.metrics[0].name`, and what to put there. */
export type Changes = Record<string, unknown>;

/** A manifest with some fields set; `undefined` removes one. Parents that are missing are made, as objects. */
export function change(manifest: Manifest, changes: Changes): Manifest {
  for (const [path, value] of Object.entries(changes)) setAt(manifest, path, value);
  return manifest;
}

function setAt(manifest: Manifest, path: string, value: unknown): void {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  const last = names.pop() ?? '';
  let parent = manifest as unknown as Record<string, unknown>;
  for (const name of names) {
    parent[name] ??= {};
    parent = parent[name] as Record<string, unknown>;
  }
  parent[last] = value;
}
