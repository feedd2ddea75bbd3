/** docker-compose.yml for people who have Docker: what can be proven of it without an engine. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { childEnvironment } from '../devstack/child-environment.ts';
import { type Devstack, startDevstack } from '../devstack/stack.ts';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';
import { composeFile } from './compose-file.ts';

const ROOT = dirname(import.meta.dirname);
const run = promisify(execFile);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  image: string;
  ports?: readonly string[];
  volumes?: readonly string[];
  depends_on?: Record<string, { condition: string }>;
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

// biome-ignore lint/suspicious/noExplicitAny: a file to be spoilt has no type
type Loose = Record<string, any>;

/** Where there is no docker the file stands for itself, and that is said; what docker complains of fails the test. */
async function whyNotAsked(error: unknown): Promise<string[]> {
  const hasCompose = await run('docker', ['compose', 'version']).then(
    () => true,
    () => false,
  );
  if (hasCompose) throw error;
  console.warn('docker compose is not on this machine: docker-compose.yml was checked against the specification only');
  return Object.keys(compose.services);
}
const readme = read('README.md');

describe('docker-compose.yml', () => {
  test.each(services)('%s: its image has a version, and README says which', (_, { image }) => {
    expect(image).toMatch(/^[a-z/-]+:v?\d+(\.\d+)+$/);
    expect(readme).toContain(`\`${image}\``);
  });

  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port] as const));
  test.each(published)('%s: port %s is for this machine only, and README says so', (_, port) => {
    const [address, outside] = port.split(':');
    expect(address).toBe('127.0.0.1');
    expect(readme).toContain(`\`127.0.0.1:${outside}\``);
  });

  test('publishes what a controller and a person need', () => {
    expect(published.map(([name]) => name)).toEqual(['temporal', 'temporal-ui', 'prometheus']);
  });

  const mounted = services.flatMap(([name, { volumes = [] }]) => volumes.map((volume) => [name, volume] as const));
  test.each(mounted)('%s: what it mounts as %s is there', (_, volume) => {
    const [source = ''] = volume.split(':');
    expect(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in compose.volumes).toBe(true);
  });

  test.each(services)('%s: starts after services that there are', (_, { depends_on = {} }) => {
    for (const name of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(name);
  });

  test('has only what the Compose specification knows, in the form that it wants', () => {
    expect(composeFile.parse(compose)).toBeDefined();
  });

  const broken: [string, (file: Loose) => void][] = [
    ['a key that there is not', ({ services: { temporal } }) => Object.assign(temporal, { port: ['7233:7233'] })],
    [
      'a condition that there is not',
      ({ services: { temporal } }) => {
        temporal.depends_on['temporal-schema'].condition = 'service_ready';
      },
    ],
    [
      'a time without a unit',
      ({ services: { temporal } }) => {
        temporal.healthcheck.interval = '5';
      },
    ],
    [
      'a port that is none',
      ({ services: { temporal } }) => {
        temporal.ports = ['127.0.0.1:7233:temporal'];
      },
    ],
    ['a part that there is not', (file) => Object.assign(file, { volume: {} })],
  ];
  test.each(broken)('%s would be found', (_, spoil) => {
    const copy = structuredClone(compose) as unknown as Loose;
    spoil(copy);
    expect(() => composeFile.parse(copy)).toThrow();
  });

  test('is read by docker compose as here, or it is said that the machine has none', async () => {
    const ask = run('docker', ['compose', 'config', '--services'], { cwd: ROOT });
    const names = await ask.then(({ stdout }) => stdout.trim().split('\n'), whyNotAsked);
    expect([...names].sort()).toEqual(Object.keys(compose.services).sort());
  });
});

describe('the job that prepares the namespace, on a real Temporal server', () => {
  let stack: Devstack;
  beforeAll(async () => {
    stack = await startDevstack({ components: ['temporal'] });
  });
  afterAll(() => stack?.stop());

  const prepare = () => {
    const PATH = `${dirname(stack.binaries.temporal)}${delimiter}${process.env.PATH}`;
    const env = childEnvironment({ ...stack.env, PATH, TEMPORAL_NAMESPACE: 'composed' });
    return run('sh', [join(ROOT, 'deploy/compose/namespace.sh')], { env });
  };

  test('registers every search attribute of Holdfast, and may run twice', async () => {
    await prepare();
    await prepare();
    const list = ['operator', 'search-attribute', 'list', '--namespace', 'composed', '--output', 'json'];
    const { stdout } = await run(stack.binaries.temporal, list, { env: childEnvironment(stack.env) });
    const { customAttributes } = JSON.parse(stdout) as { customAttributes: Record<string, string> };
    const wanted = SEARCH_ATTRIBUTES.map(({ name, type }) => [name, `INDEXED_VALUE_TYPE_${type.toUpperCase()}`]);
    expect(customAttributes).toMatchObject(Object.fromEntries(wanted));
  });
});
