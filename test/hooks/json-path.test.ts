/** JSONPath as kubectl itself finds it, on the same object. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJsonPath, readJsonPath } from '../../core/hooks/json-path.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { pods, type ResourceType } from '../../kubernetes/resource-types.ts';
import { type ApiServer, startApiServer } from '../kubernetes/api-server.ts';
import { runKubectl } from './kubectl.ts';

const PODS = pods as unknown as ResourceType<KubernetesObject>;

let server: ApiServer;
let pod: KubernetesObject;

beforeAll(async () => {
  server = await startApiServer();
  const container = (name: string, port: number, ...env: string[]) => ({
    ...{ name, image: `${name}:1`, ports: [{ containerPort: port }], tty: port > 8000 },
    env: env.map((value) => ({ name: `E_${value}`, value })),
  });
  const annotations = { 'game.example/state': 'drained', plain: "it's" };
  pod = await server.client.create(PODS, {
    metadata: { name: 'lobby', namespace: 'default', labels: { app: 'lobby' }, annotations },
    spec: { containers: [container('game', 7777, 'a', 'b'), container('web', 8080, 'c'), container('log', 9000)] },
  } as KubernetesObject);
});

afterAll(() => server.stop());

describe('what kubectl finds is what is found', () => {
  test.each([
    '{.metadata.name}',
    '{$.metadata.name}/{.metadata.namespace}',
    '{.metadata.annotations}',
    '{.metadata.annotations.game\\.example/state}',
    "{.metadata.annotations['plain']}",
    '{.spec.containers[0].name}',
    '{.spec.containers[-1].name}',
    '{.spec.containers[*].name}',
    '{.spec.containers[0:2].name}',
    '{.spec.containers[-2:].name}',
    '{.spec.containers[::2].name}',
    '{.spec.containers[0,2].name}',
    "{.spec.containers[0]['name','image']}",
    '{.spec.containers[0].ports}',
    '{.spec.containers[1].tty} {.spec.containers[1].ports[0].containerPort}',
    '{..containerPort}',
    '{.spec.containers..value}',
    '{.spec.containers[?(@.name=="web")].image}',
    '{.spec.containers[?(@.name != "web")].name}',
    '{.spec.containers[?(@.tty)].name}',
    '{.spec.containers[*].ports[?(@.containerPort>8000)].containerPort}',
    '{.spec.containers[*].ports[?(@.containerPort<=8080)].containerPort}',
    '{.spec.containers[*].env[*].value}',
    '{range .spec.containers[*]}{.name}={.image}{"\\n"}{end}',
    "{range .spec.containers[*]}[{.name}, {.ports[0].containerPort}]{','}{end}",
    'name={.metadata.name}.',
  ])('%s', async (path) => {
    const want = await runKubectl(server.stack, 'get', 'pod', 'lobby', '-o', `jsonpath=${path}`);
    const found = readJsonPath(parseJsonPath(path), pod);
    expect(want).not.toBe('');
    expect(found).toBe(want);
  });
});

describe('what kubectl does not take or finds nowhere has no value', () => {
  test.each([
    '{.metadata.nothing}',
    '{.spec.containers[3].name}',
    '{.spec.containers[1:7].name}',
    '{.metadata.name',
    '{.a[}',
  ])('%s', async (path) => {
    const kubectl = runKubectl(
      server.stack,
      'get',
      'pod',
      'lobby',
      '-o',
      `jsonpath=${path}`,
      '--allow-missing-template-keys=false',
    );
    await expect(kubectl).rejects.toThrow();
    expect(() => readJsonPath(parseJsonPath(path), pod)).toThrow();
  });
});
