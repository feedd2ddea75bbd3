/** Whatever a HookRun says or a server does wrong is one sentence and the right phase, tells no Secret, and concerns no other run. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HookRun, HookRunSpec } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import type { MetricProvider } from '../../crds/provider.ts';
import { eventually } from '../support/eventually.ts';
import { BAD_AUTHORITY, BAD_WAYS, BadServers, type BadWay } from './bad-servers.ts';
import { type HookRunHandle, HookScene } from './hook-scene.ts';
import { textsIn } from './told.ts';

const TOKEN = 'hunter2-hunter2';
/** A question each tenth of a second is late by no more than this, on a machine that has other things to do, too. */
const LATE_MS = 3_000;

let scene: HookScene;
let servers: BadServers;

beforeAll(async () => {
  [scene, servers] = await Promise.all([HookScene.open(), BadServers.open()]);
  await scene.kubectl('create', 'secret', 'generic', 'game', `--from-literal=token=${TOKEN}`);
});

afterAll(async () => {
  await servers.close();
  await scene.close();
});

const token = { name: 'game', key: 'token' };
const tlsFor = ({ name }: BadWay) => (name === 'with an expired certificate' ? { tls: { ca: BAD_AUTHORITY } } : {});

/** Each provider that asks a server, told to ask this one; and how it begins to tell what went wrong. */
const ASKING: {
  provider: string;
  ask: (origin: string, way: BadWay) => MetricProvider;
  start: (origin: string) => string;
}[] = [
  {
    provider: 'web',
    ask: (url, way) => {
      const headers = [{ key: 'X-Token', valueFrom: { secretKeyRef: token } }];
      return { web: { url, headers, timeoutSeconds: 1, jsonPath: '{$.age}', ...tlsFor(way) } };
    },
    start: (origin) => `provider.web.url: GET ${origin}/: `,
  },
  {
    provider: 'prometheus',
    ask: (address, way) => {
      const asked = { query: 'up', bearerTokenSecret: token, timeoutSeconds: 1 };
      return { prometheus: { address, ...asked, ...tlsFor(way) } };
    },
    start: (origin) => `provider.prometheus.address: POST ${origin}/api/v1/query: `,
  },
];

const CASES = ASKING.flatMap((asking) => BAD_WAYS.map((way) => ({ ...asking, way })));
const runNameOf = ({ provider, way }: (typeof CASES)[number]) =>
  `${provider}-${way.name.replaceAll(' ', '-').toLowerCase()}`;

/** A run that is asked all the time and is never satisfied; `maxGapMs` is the longest that it was not asked since `restart`. */
class Beside {
  readonly #times: number[] = [];
  #startedAt = 0;

  constructor() {
    scene.target.answer('/beside', () => {
      this.#times.push(performance.now());
      return { value: 12 };
    });
  }

  async start(): Promise<HookRunHandle> {
    const provider = { web: { url: `${scene.target.origin}/beside`, jsonPath: '{$.age}' } };
    const metric = {
      name: 'm',
      interval: '100ms',
      successfulLimit: 1,
      successCondition: 'asInt(result) == 0',
      provider,
    };
    const handle = await scene.start('beside', { metrics: [metric] });
    await eventually('it is asked', () => this.#times.length > 3);
    this.#startedAt = performance.now();
    return handle;
  }

  maxGapMs(): number {
    const times = [this.#startedAt, ...this.#times.filter((time) => time > this.#startedAt), performance.now()];
    return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
  }
}

describe('a server that does wrong', () => {
  const ended = new Map<string, HookRun>();
  let told: string[];
  let beside: { maxGapMs: number; errors: number };

  beforeAll(async () => {
    const good = new Beside();
    const goodHandle = await good.start();
    const handles = await Promise.all(
      CASES.map((each) => {
        const provider = each.ask(servers.originOf(each.way), each.way);
        return scene.start(runNameOf(each), { metrics: [{ name: 'm', provider, consecutiveErrorLimit: 0 }] });
      }),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    const { status } = await scene.read('beside');
    beside = { maxGapMs: good.maxGapMs(), errors: status?.metricResults?.[0]?.error ?? 0 };
    for (const each of CASES) ended.set(runNameOf(each), await scene.read(runNameOf(each)));
    const events = await eventually('all events are there', () => scene.kubectl('get', 'events', '-o', 'yaml'), {
      until: (text) => CASES.every((each) => text.includes(`name: ${runNameOf(each)}\n`)),
    });
    const histories = await Promise.all(handles.map(async (handle) => textsIn(await handle.fetchHistory())));
    told = [JSON.stringify([...ended.values()]), events, ...histories, scene.workerOutput.join('')];
    await goodHandle.terminate();
  });

  test.each(CASES.map((each) => [`${each.provider}: ${each.way.name}`, each] as const))('%s', (_title, each) => {
    const { phase, message, metricResults } = ended.get(runNameOf(each))?.status ?? {};
    expect(phase).toBe('Error');
    const sentence = metricResults?.[0]?.measurements?.[0]?.message ?? '';
    expect(sentence.startsWith(each.start(servers.originOf(each.way)))).toBe(true);
    expect(sentence).toContain(each.way.clause);
    expect(message).toBe(`metric m could not be measured: ${sentence}`);
  });

  test('tells nobody the token that it was sent', () => {
    expect(servers.received.filter((sent) => sent === TOKEN).length).toBeGreaterThan(10);
    for (const text of told) for (const form of [TOKEN, btoa(TOKEN)]) expect(text).not.toContain(form);
  });

  test('keeps no other run from being asked', () => {
    expect(beside.errors).toBe(0);
    expect(beside.maxGapMs).toBeLessThan(LATE_MS);
  });
});

describe('nonsense in the spec', () => {
  const web = (fields: object): MetricProvider => ({ web: { url: `${scene.target.origin}/nonsense`, ...fields } });
  const prometheus = (fields: object): MetricProvider => ({
    prometheus: { address: scene.target.origin, query: 'up', ...fields },
  });
  const METRIC = 'spec.metrics[0]';
  const PROVIDER = `${METRIC}.provider`;

  test.each<[string, () => Partial<HookRunSpec> & { metric?: Partial<Metric> }, string]>([
    [
      'an expression',
      () => ({ metric: { successCondition: 'asInt(result) >' } }),
      `${METRIC}.successCondition: The expression ends too early (column 16).`,
    ],
    [
      'a pattern',
      () => ({ metric: { failureCondition: 'result matches "("' } }),
      `${METRIC}.failureCondition: The pattern: a ( is not closed (column 16).`,
    ],
    [
      'a JSONPath',
      () => ({ metric: { provider: web({ jsonPath: '{$.a' }) } }),
      `${PROVIDER}.web.jsonPath: A { of the JSONPath is not closed.`,
    ],
    [
      'a URL',
      () => ({ metric: { provider: web({ url: 'game:8080/players' }) } }),
      `${PROVIDER}.web.url: This is not a valid http or https URL.`,
    ],
    [
      'an address',
      () => ({ metric: { provider: prometheus({ address: 'prometheus:9090' }) } }),
      `${PROVIDER}.prometheus.address: This is not a valid http or https URL.`,
    ],
    [
      'an argument',
      () => ({ metric: { provider: prometheus({ query: 'up{job="{{ args.job }}"}' }) } }),
      `${PROVIDER}.prometheus.query: The argument job has no value.`,
    ],
    // Free text at apply: what an older CRD let in as a HookTemplate must become a run that says what is wrong.
    ['a policy', () => ({ policy: 'Random' }), 'spec.policy: The policy must be Parallel or Ordered.'],
  ])('%s: Error with the path of the field, and nobody is asked', async (title, nonsense, message) => {
    const name = `nonsense-${title.replaceAll(' ', '-').toLowerCase()}`;
    const { metric, ...fields } = nonsense();
    const handle = await scene.start(name, { metrics: [{ name: 'm', provider: web({}), ...metric }], ...fields });
    expect(await handle.result()).toMatchObject({ phase: 'Error', message });
    expect((await scene.read(name)).status).toMatchObject({ phase: 'Error', message });
    expect(scene.target.asked('/nonsense')).toBe(0);
  });
});

test('what is no text, in an answer, is told as far as it is one', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(400).end('{"status":"error","errorType":"bad","error":"half of \\ud83d and no more"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = { prometheus: { address, query: 'up' } };
  const handle = await scene.start('half-a-sign', { metrics: [{ name: 'm', interval: '1h', provider }] });
  const described = await eventually(
    'the pending activity says what it waits for',
    () => scene.temporal('workflow', 'describe', '-w', handle.workflowId),
    { until: (text) => text.includes('the next is at') },
  );
  expect(described).toContain('bad; half of \ufffd and no more');
  await handle.terminate();
  await new Promise((resolve) => server.close(resolve));
});
