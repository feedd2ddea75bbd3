/** The provider kubernetes against a real API server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { pods, type ResourceType } from '../../kubernetes/resource-types.ts';
import { ProviderCluster } from './provider-cluster.ts';

const CONFIG_MAPS: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

let cluster: ProviderCluster;
let pod: Pod;

beforeAll(async () => {
  cluster = await ProviderCluster.open([], [CONFIG_MAPS]);
  await cluster.kubectl('create', 'configmap', 'rules');
  await cluster.kubectl('create', 'secret', 'generic', 'hidden', '--from-literal=a=b');
});

afterAll(() => cluster.close());

let count = 0;

beforeEach(async () => {
  count += 1;
  const annotations = { 'game.example/drained': 'yes', plain: 'v' };
  pod = await cluster.client.create(pods, {
    metadata: { name: `p-${count}`, namespace: 'default', labels: { app: 'lobby' }, annotations },
    spec: { containers: [{ name: 'game', image: 'game:1' }] },
  } as Pod);
});

type Fields = [path: string, value: string][];

const ask = (fn: 'get' | 'patch', fields: Fields, given: Record<string, string> = {}, podUid?: string) =>
  cluster.measure(
    { kubernetes: { function: fn, fields: fields.map(([path, value]) => ({ path, value })) } },
    {
      arguments: { PodName: pod.metadata.name, PodNamespace: 'default', ...given },
      run: { namespace: 'default', name: 'run', uid: 'u', podUid },
    },
  );
const live = () => cluster.client.get(pods, pod.metadata);

describe('92: get', () => {
  const table: [title: string, fields: Fields, want: object][] = [
    [
      'two annotations equal',
      [
        ['metadata.annotations.game.example/drained', 'yes'],
        ['metadata.annotations.plain', 'v'],
      ],
      { phase: 'Successful', value: 'yes, v' },
    ],
    [
      'one differs',
      [
        ['metadata.annotations.game.example/drained', 'yes'],
        ['metadata.annotations.plain', 'w'],
      ],
      {
        phase: 'Failed',
        message: 'metadata.annotations.plain has another value than the one asked for',
        value: 'yes, v',
      },
    ],
    [
      'one absent',
      [['metadata.annotations.gone', 'v']],
      { phase: 'Error', message: 'provider.kubernetes.fields[0].path: the object has no metadata.annotations.gone' },
    ],
    ['a label', [['metadata.labels.app', 'lobby']], { phase: 'Successful' }],
    ['a field of the spec', [['spec.containers[0].image', 'game:1']], { phase: 'Successful', value: 'game:1' }],
    ['a field of the status', [['status.phase', 'Running']], { phase: 'Failed', value: 'Pending' }],
    ['a field that is not there', [['spec.hostIPC.x', 'v']], { phase: 'Error' }],
    ['a prototype', [['metadata.annotations.constructor', 'v']], { phase: 'Error' }],
  ];
  test.each(table)('%s', async (_title, fields, want) => {
    expect(await ask('get', fields)).toMatchObject(want);
  });

  test('object absent', async () => {
    const made = await ask('get', [['metadata.annotations.plain', 'v']], { PodName: 'nobody' });
    expect(made).toMatchObject({ phase: 'Error', message: 'provider.kubernetes: Pod default/nobody does not exist' });
  });
});

describe('93: patch', () => {
  test('row 93: an annotation that is there, and a new one whose key has a slash', async () => {
    const made = await ask('patch', [
      ['metadata.annotations.plain', 'new "quoted" /~1'],
      ['metadata.annotations.game.example/a~1b', 'odd'],
    ]);
    expect(made).toMatchObject({
      phase: 'Error',
      message: 'provider.kubernetes.fields[1].path: "game.example/a~1b" is not a key of annotations',
    });
    expect((await live()).metadata.annotations?.plain).toBe('v');
    const good = await ask('patch', [
      ['metadata.annotations.plain', 'new "quoted" /~1'],
      ['metadata.annotations.game.example/state', '{"a":"b"}'],
      ['metadata.labels.drained', 'true'],
    ]);
    expect(good.phase).toBe('Successful');
    expect((await live()).metadata).toMatchObject({
      annotations: { plain: 'new "quoted" /~1', 'game.example/state': '{"a":"b"}', 'game.example/drained': 'yes' },
      labels: { app: 'lobby', drained: 'true' },
    });
  });

  test('a pod without any annotation gets its first', async () => {
    await cluster.kubectl('annotate', 'pod', pod.metadata.name, 'plain-', 'game.example/drained-');
    expect((await ask('patch', [['metadata.annotations.first', 'v']])).phase).toBe('Successful');
    expect((await live()).metadata.annotations).toEqual({ first: 'v' });
  });

  test('what the API server refuses is an Error with its words, and nothing is written', async () => {
    const made = await ask('patch', [['metadata.labels.drained', 'not a label value!']]);
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining('Pod default/') });
    expect((await live()).metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });
});

describe('no value of an argument leads elsewhere', () => {
  const refused: [title: string, given: Record<string, string>, message: string][] = [
    ['another namespace', { PodNamespace: 'kube-system' }, 'PodNamespace is not default, the namespace of the HookRun'],
    ['a path', { PodName: '../secrets/hidden' }, 'PodName is "../secrets/hidden", which is no name of an object'],
    ['the collection', { PodName: '..' }, 'which is no name of an object'],
    ['a query', { PodName: 'p?dryRun=All' }, 'which is no name of an object'],
    ['nobody', { PodName: '' }, 'PodName has no value'],
    ['a Secret', { PodName: 'hidden', Kind: 'Secret', Version: 'v1' }, 'may not ask for objects of "v1/Secret"'],
    [
      'a kind that is not opened',
      { Kind: 'Deployment', Group: 'apps', Version: 'v1' },
      'of "apps/v1/Deployment" in this',
    ],
  ];
  test.each(refused)('%s', async (_title, given, message) => {
    const made = await ask('get', [['metadata.name', 'x']], given);
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining(message) });
  });

  test('a kind that the installation opens', async () => {
    const made = await ask('patch', [['metadata.annotations.a', 'v']], { PodName: 'rules', Kind: 'ConfigMap' });
    expect(made.phase).toBe('Successful');
    expect(
      (await cluster.client.get(CONFIG_MAPS, { namespace: 'default', name: 'rules' })).metadata.annotations,
    ).toEqual({
      a: 'v',
    });
  });

  test('a pod that took the name of the one whose gate it is', async () => {
    const fields: Fields = [['metadata.annotations.plain', 'v']];
    expect((await ask('get', fields, {}, pod.metadata.uid)).phase).toBe('Successful');
    const made = await ask('patch', fields, {}, 'another-uid');
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining('is another pod than the one') });
    expect((await live()).metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });
});
