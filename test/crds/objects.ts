/** The smallest valid object of each kind, for tables that make one thing wrong with it. */
import { API_VERSION } from '../../crds/api.ts';

/** A manifest before anybody checked it. */
// biome-ignore lint/suspicious/noExplicitAny: wrong manifests are the point here
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: any };

const template = () => ({
  metadata: { labels: { app: 'lobby' } },
  spec: { containers: [{ name: 'game', image: 'registry.example/game:1' }] },
});

export function makeGameDeployment(): Manifest {
  const spec = { selector: { matchLabels: { app: 'lobby' } }, template: template(), updateStrategy: {} };
  return { apiVersion: API_VERSION, kind: 'GameDeployment', metadata: { name: 'lobby' }, spec };
}

export function makeGameStatefulSet(): Manifest {
  const spec = {
    serviceName: 'world',
    selector: { matchLabels: { app: 'lobby' } },
    template: template(),
    updateStrategy: { rollingUpdate: {} },
  };
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
