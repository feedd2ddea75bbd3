/** One attempt at a HookRun against an API double with resourceVersions and a real HTTP server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HookRun, HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { ApiError } from '../../kubernetes/errors.ts';
import type { EventNote } from '../../kubernetes/event-notes.ts';
import { type HookPorts, measureRun } from './measuring.ts';
import type { HookRunClient } from './stored-run.ts';
import { createWebDispatcher } from './web.ts';

/** Holds one HookRun; `before` runs in front of each write. */
class ApiDouble {
  run: HookRun | undefined;
  writes: HookRunStatus[] = [];
  before: (write: number) => void = () => {};

  client = {
    get: async () => structuredClone(this.#live()),
    replaceStatus: async (_type: unknown, object: HookRun) => {
      this.before(this.writes.length + 1);
      const live = this.#live();
      if (
        live.metadata.resourceVersion !== object.metadata.resourceVersion ||
        live.metadata.uid !== object.metadata.uid
      ) {
        throw new ApiError('changed', { reason: 'conflict', status: 409, sent: true });
      }
      this.change((run) => {
        run.status = structuredClone(object.status);
      });
      this.writes.push(object.status as HookRunStatus);
      return structuredClone(this.#live());
    },
  } as unknown as HookRunClient;

  change(edit: (run: HookRun) => void): void {
    const live = this.#live();
    edit(live);
    live.metadata.resourceVersion = String(Number(live.metadata.resourceVersion) + 1);
  }

  #live(): HookRun {
    if (this.run === undefined) throw new ApiError('not found', { reason: 'notFound', status: 404, sent: true });
    return this.run;
  }
}

let server: Server;
let url: string;
/** What the server answers, in turn; the last one stays. A number is a status. */
let answers: (string | number)[];
let asked = 0;
const dispatcher = createWebDispatcher();

beforeAll(async () => {
  server = createServer((_request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)] as string | number;
    asked += 1;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(JSON.stringify({ value: answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

let api: ApiDouble;
let notes: EventNote[];
let told: HookRunStatus | undefined;
let cancelling: AbortController;
let nowMs: () => number;

beforeEach(() => {
  api = new ApiDouble();
  notes = [];
  told = undefined;
  asked = 0;
  answers = ['45'];
  cancelling = new AbortController();
  nowMs = Date.now;
});

const metric = (fields: Partial<Metric> = {}): Metric => ({
  name: 'm',
  successCondition: 'asInt(result) > 30',
  provider: { web: { url, jsonPath: '{.value}' } },
  ...fields,
});

function given(metrics: Metric[], spec: Partial<HookRunSpec> = {}, fields: Partial<HookRun> = {}): void {
  api.run = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'HookRun',
    metadata: {
      name: 'canary-r2-1-drain',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '1',
      labels: { 'hookrun-type': 'canary-step', 'canary-step-index': '1', 'workload-revision': 'r2' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'GameDeployment', name: 'lobby', uid: 'w', controller: true }],
    },
    spec: { metrics, ...spec },
    ...fields,
  };
}

function measure(uid = 'u1') {
  const recorder = { record: (note: EventNote) => void notes.push(note) };
  const ports: HookPorts = { client: api.client, recorder, nowMs: () => nowMs(), dispatcher };
  const tell = (status: HookRunStatus) => {
    told = structuredClone(status);
  };
  return measureRun(
    ports,
    { namespace: 'default', name: 'canary-r2-1-drain', uid },
    { signal: cancelling.signal, told, tell },
  );
}

const phases = () => api.writes.map(({ phase }) => phase);
const events = () => notes.map(({ type, reason, note }) => `${type} ${reason} ${note}`);

describe('an attempt', () => {
  it('measures, writes the status on transitions and answers what the caller needs', async () => {
    given([metric()]);
    expect(await measure()).toEqual({
      state: 'ended',
      outcome: {
        phase: 'Successful',
        message: '',
        name: 'canary-r2-1-drain',
        type: 'canary-step',
        stepIndex: 1,
        revision: 'r2',
        workload: { kind: 'GameDeployment', name: 'lobby' },
      },
    });
    expect(phases()).toEqual(['Running', 'Successful']);
    expect(api.run?.status?.metricResults?.[0]).toMatchObject({ phase: 'Successful', successful: 1, count: 1 });
    expect(api.run?.status?.metricResults?.[0]?.measurements?.[0]).toMatchObject({ phase: 'Successful', value: '45' });
    expect(events()).toEqual(['Normal Complete metric m: Successful', 'Normal Complete hook run: Successful']);
  });

  it('a failed check ends the run and says so', async () => {
    answers = ['12'];
    given([metric()]);
    expect(await measure()).toMatchObject({
      outcome: { phase: 'Failed', message: 'metric m failed: successCondition does not hold' },
    });
    expect(events()).toEqual([
      'Warning Failed metric m: Failed, failed: successCondition does not hold',
      'Warning Failed hook run: Failed, metric m failed: successCondition does not hold',
    ]);
  });

  it('polls short intervals inside one attempt', async () => {
    answers = ['12', '12', 503, '12', '45'];
    given([metric({ interval: '100ms', successfulLimit: 1 })]);
    expect(await measure()).toMatchObject({ outcome: { phase: 'Successful' } });
    expect(api.run?.status?.metricResults?.[0]).toMatchObject({ count: 4, failed: 3, error: 1, successful: 1 });
    expect(phases()).toEqual(['Running', 'Running', 'Successful']);
  });

  it('32: a one-shot error is asked again after 10 s; a long wait ends the attempt', async () => {
    answers = [503];
    given([metric({ interval: '30s', count: 1 })]);
    const end = await measure();
    expect(end).toMatchObject({ state: 'waiting', message: expect.stringContaining('HTTP status 503') });
    expect(end.state === 'waiting' && end.againInMs).toBeGreaterThan(28_000);
    expect(api.run?.status).toMatchObject({ phase: 'Running', metricResults: [{ error: 1, consecutiveError: 1 }] });
  });

  it('ends after a minute without a verdict, with everything written', async () => {
    answers = ['12'];
    let clock = Date.now();
    nowMs = () => {
      clock += 300;
      return clock;
    };
    given([metric({ interval: '100ms', successfulLimit: 1 })]);
    expect(await measure()).toMatchObject({ state: 'waiting' });
    expect(api.run?.status?.metricResults?.[0]?.count).toBe(asked);
    expect(api.writes.length).toBeLessThanOrEqual(9);
  });
});

describe('taking up again', () => {
  const startedAt = '2026-01-01T00:00:00.000Z';
  const failedTwice: HookRunStatus = {
    phase: 'Running',
    startedAt,
    metricResults: [
      {
        name: 'm',
        phase: 'Running',
        count: 2,
        failed: 2,
        measurements: [{ phase: 'Failed', startedAt, finishedAt: startedAt }],
      },
    ],
  };
  const counted = () => metric({ interval: '100ms', count: 3, failureLimit: 2 });

  it('39: goes on from the object', async () => {
    answers = ['12'];
    given([counted()], {}, { status: failedTwice });
    expect(await measure()).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(asked).toBe(1);
  });

  it('39: goes on from the last heartbeat where that is further', async () => {
    answers = ['12'];
    given([counted()], {}, { status: { phase: 'Running', startedAt } });
    told = failedTwice;
    expect(await measure()).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(asked).toBe(1);
  });

  it('a verdict that was told and not written is written, not measured again', async () => {
    given([metric()], {}, { status: { phase: 'Running', startedAt } });
    told = {
      phase: 'Successful',
      startedAt,
      metricResults: [{ name: 'm', phase: 'Successful', count: 1, successful: 1 }],
    };
    expect(await measure()).toMatchObject({ outcome: { phase: 'Successful' } });
    expect([asked, api.run?.status?.phase]).toEqual([0, 'Successful']);
  });

  it('a run that has its verdict is left alone', async () => {
    given([metric()], {}, { status: { phase: 'Failed', message: 'metric m failed' } });
    expect(await measure()).toMatchObject({ outcome: { phase: 'Failed', message: 'metric m failed' } });
    expect([asked, api.writes.length, notes.length]).toEqual([0, 0, 0]);
  });

  it('a status that somebody carried further meanwhile is adopted, never overwritten', async () => {
    answers = ['45'];
    given([metric()]);
    api.before = (write) => {
      if (write !== 2 || api.run?.status?.phase === 'Failed') return;
      api.change((run) => {
        run.status = { phase: 'Failed', startedAt, message: 'by another worker' };
      });
    };
    expect(await measure()).toMatchObject({ outcome: { phase: 'Failed', message: 'by another worker' } });
    expect([phases(), notes.length]).toEqual([['Running'], 0]);
  });
});

describe('what people do to a run meanwhile', () => {
  it('terminate, found by the conflict of the next write', async () => {
    answers = ['12'];
    let clock = Date.now();
    nowMs = () => {
      clock += 300;
      return clock;
    };
    given([metric({ interval: '100ms', successfulLimit: 1 })]);
    api.before = (write) => {
      if (write === 3 && api.run?.spec.terminate === undefined) {
        api.change((run) => {
          run.spec.terminate = true;
        });
      }
    };
    expect(await measure()).toMatchObject({
      outcome: { phase: 'Terminated', message: 'metric m stopped by spec.terminate' },
    });
  });

  it('deleted before and while it is measured', async () => {
    expect(await measure()).toEqual({ state: 'ended', outcome: { phase: 'Gone' } });
    given([metric()]);
    api.before = (write) => {
      if (write === 2) api.run = undefined;
    };
    expect(await measure()).toEqual({ state: 'ended', outcome: { phase: 'Gone' } });
  });

  it('another run under the same name is found and not touched', async () => {
    given([metric()]);
    expect(await measure('u0')).toEqual({ state: 'ended', outcome: { phase: 'Gone', liveUid: 'u1' } });
    expect(api.writes).toEqual([]);
  });

  it('cancelled: the reason is thrown, what was measured is kept', async () => {
    answers = ['12'];
    given([metric({ interval: '5s', successfulLimit: 1 })]);
    const measuring = measure();
    const measured = () => told?.metricResults?.[0]?.count === 1;
    while (!measured()) await new Promise((resolve) => setImmediate(resolve));
    cancelling.abort(new Error('cancelled'));
    await expect(measuring).rejects.toThrow('cancelled');
    expect(api.run?.status?.metricResults?.[0]?.count).toBe(1);
  });
});

describe('bad input', () => {
  it('nonsense is Error with the path of the field, and nothing is asked', async () => {
    given([metric({ successCondition: 'result >' })]);
    expect(await measure()).toMatchObject({
      outcome: {
        phase: 'Error',
        message: 'spec.metrics[0].successCondition: The expression ends too early (column 9).',
      },
    });
    expect([asked, phases()]).toEqual([0, ['Error']]);
    expect(events()[0]).toContain('Warning Failed hook run: Error, spec.metrics[0].successCondition');
  });

  it('35: dropped arguments are named in an event and in the message', async () => {
    given([metric()]);
    api.change((run) => {
      run.metadata.annotations = { 'holdfast.dev/dropped-arguments': 'c,d' };
    });
    const sentence = 'arguments that the HookTemplate does not declare were dropped: c,d';
    expect(await measure()).toMatchObject({ outcome: { phase: 'Successful', message: sentence } });
    expect(events()[0]).toBe(`Warning ArgumentsDropped ${sentence}`);
  });

  it('arguments are filled in, and a measured type error is a measurement that failed to be', async () => {
    answers = ['many'];
    const web = { url: '{{ args.where }}', jsonPath: '{.value}' };
    given([metric({ provider: { web }, interval: '60s', count: 1 })], { args: [{ name: 'where', value: url }] });
    expect(await measure()).toMatchObject({ state: 'waiting' });
    expect(api.run?.status?.metricResults?.[0]?.measurements?.[0]).toMatchObject({
      phase: 'Error',
      message: 'successCondition: asInt cannot read "many" as a whole number (column 1)',
    });
  });
});
