/** The provider job against a real API server and a real Job controller; the test plays the kubelet of its pods. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../activities/hooks/providers/job.ts';
import { renderJobSpec } from '../../core/hooks/job-spec.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import type { JobProvider } from '../../crds/provider.ts';
import { jobs, pods, type ResourceType } from '../../kubernetes/resource-types.ts';
import { eventually } from '../support/eventually.ts';
import { LogServer } from './log-server.ts';
import { type Asking, ProviderCluster } from './provider-cluster.ts';

const JOBS = jobs as ResourceType<Job>;
const PODS = pods as unknown as ResourceType<KubernetesObject>;

let cluster: ProviderCluster;
let logs: LogServer;

beforeAll(async () => {
  cluster = await ProviderCluster.open(['kube-controller-manager']);
  logs = await LogServer.open(cluster.stack.api);
  await cluster.kubectl('create', 'secret', 'generic', 'database', '--from-literal=password=hunter2-hunter2');
  await eventually('pods may be created', () => cluster.kubectl('get', 'serviceaccount', 'default'));
});

afterAll(async () => {
  await logs.close();
  await cluster.close();
});

const migration = (spec: object = {}, container: object = {}): { job: JobProvider } => ({
  job: {
    metadata: { labels: { app: 'migration' } },
    spec: {
      backoffLimit: 0,
      ...spec,
      template: {
        spec: { nodeName: logs.nodeName, containers: [{ name: 'migrate', image: 'migrate:1', ...container }] },
      },
    } as JobProvider['spec'],
  },
});

const jobsOf = async (run: string) =>
  (await cluster.client.list(JOBS, { namespace: 'default' })).items.filter(({ metadata }) =>
    metadata.name.startsWith(`${run}-`),
  );
const podOf = (run: string) =>
  eventually(`run ${run} has a pod`, async () =>
    (await cluster.client.list(PODS, { namespace: 'default' })).items.find(({ metadata }) =>
      metadata.name.startsWith(`${run}-`),
    ),
  );

/** What its kubelet would report of the pod's end. */
async function endPod({ metadata }: KubernetesObject, exitCode: number): Promise<void> {
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  const state = { terminated: { exitCode, reason: phase, startedAt: null, finishedAt: new Date().toISOString() } };
  const containerStatuses = [{ name: 'migrate', image: 'i', imageID: 'i', ready: false, restartCount: 0, state }];
  const patch = { kind: 'merge', body: { status: { phase, containerStatuses } } } as const;
  await cluster.client.patch(PODS, metadata, patch, { subresource: 'status' });
}

const untilEnd = (provider: { job: JobProvider }, asking: Asking) =>
  eventually('the measurement has ended', () => cluster.measure(provider, asking), {
    until: ({ phase }) => phase !== 'Running',
  });

describe('a Job', () => {
  test('of a poll goes when the status shows its measurement no more, with the rights of the controller', async () => {
    const run = await cluster.run('poll');
    const idle = migration({ suspend: true });
    for (const number of [1, 2, 11]) await cluster.measure(idle, { run, number });
    expect(await jobsOf('poll')).toHaveLength(3);
    await cluster.measure(idle, { run, number: 12 });
    await eventually('the first one is gone', () => jobsOf('poll'), {
      until: (found) => found.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length === 3,
    });
    await cluster.measure(idle, { run, number: 13 });
    await eventually('the second one is gone', () => jobsOf('poll'), { until: (found) => found.length === 3 });
  });

  test('is made once, is owned by its run, holds the arguments, and its success is the verdict', async () => {
    const run = await cluster.run('migrate');
    const provider = migration(
      {},
      { args: ['--room', '{{ args.room }}'], env: [{ name: 'R', value: '{{ args.room }}' }] },
    );
    const asking = { run, arguments: { room: 'a; rm -rf /' } };
    const first = await cluster.measure(provider, asking);
    expect(first).toMatchObject({ phase: 'Running', message: expect.stringMatching(/^waits for Job migrate-/) });
    const pod = await podOf('migrate');
    // Another worker after a crash: the same Job is looked at.
    await cluster.measure(provider, asking);
    const [job, ...others] = await jobsOf('migrate');
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      metadata: { labels: { app: 'migration' }, ownerReferences: [{ kind: 'HookRun', name: 'migrate', uid: run.uid }] },
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ args: ['--room', 'a; rm -rf /'], env: [{ name: 'R', value: 'a; rm -rf /' }] }],
          },
        },
      },
    });
    logs.logs.set(pod.metadata.name, 'moved 1 room\n\nmoved 2 rooms\ndone\n');
    await endPod(pod, 0);
    const made = await untilEnd(provider, asking);
    expect(made).toMatchObject({
      phase: 'Successful',
      message: 'log: moved 1 room | moved 2 rooms | done',
      value: job?.metadata.name,
      startedAt: job?.metadata.creationTimestamp,
    });
    expect(logs.asked.at(-1)).toContain('tailLines=5');
  });

  test('that fails is Failed, with its exit code and the end of its log, in which no Secret stands', async () => {
    const run = await cluster.run('broken');
    const valueFrom = { secretKeyRef: { name: 'database', key: 'password' } };
    const provider = migration({}, { env: [{ name: 'PASSWORD', valueFrom }] });
    await cluster.measure(provider, { run });
    const pod = await podOf('broken');
    const secret = 'hunter2-hunter2';
    logs.logs.set(pod.metadata.name, `${'long '.repeat(200)}\nlogin with ${secret} (${btoa(secret)}) was refused\n`);
    await endPod(pod, 3);
    const { phase, message } = await untilEnd(provider, { run });
    expect(phase).toBe('Failed');
    expect(message).toMatch(/^Job broken-\w+: BackoffLimitExceeded; container migrate ended with 3; log: …/);
    expect(message).toMatch(/login with \*\*\* \(\*\*\*\) was refused$/);
  });

  test('is created suspended: one that arrives after its run was ended starts nothing', async () => {
    const run = await cluster.run('late');
    await cluster.measure(migration(), { run });
    const [job] = await jobsOf('late');
    await cluster.endJobs(run);
    await eventually('it is gone', async () => (await jobsOf('late')).length === 0);
    // What the first write of the look would have left, had it come now.
    const { name, namespace, labels, ownerReferences } = job!.metadata;
    const metadata = { name, namespace, labels, ownerReferences };
    const spec = { ...renderJobSpec(migration().job.spec, new Map()), suspend: true };
    await cluster.client.create(JOBS, { ...job!, metadata, spec });
    await eventually('the Job controller has seen it', async () =>
      (await jobsOf('late'))[0]?.status?.conditions?.some(({ type }) => type === 'Suspended'),
    );
    expect((await jobsOf('late'))[0]?.status?.active ?? 0).toBe(0);
  });

  test('that a person suspends stays suspended', async () => {
    const run = await cluster.run('held');
    await cluster.measure(migration(), { run });
    const [job] = await jobsOf('held');
    expect(job?.spec.suspend).toBe(false);
    await cluster.client.patch(JOBS, job!.metadata, { kind: 'merge', body: { spec: { suspend: true } } });
    expect(await cluster.measure(migration(), { run })).toMatchObject({ phase: 'Running' });
    expect((await jobsOf('held'))[0]?.spec.suspend).toBe(true);
  });

  test('whose log nobody hands out says so', async () => {
    const run = await cluster.run('silent');
    await cluster.measure(migration(), { run });
    const pod = await podOf('silent');
    await endPod(pod, 0);
    const { phase, message } = await untilEnd(migration(), { run });
    const want = `the log of pod ${pod.metadata.name} is not shown, its node does not hand it out`;
    expect([phase, message]).toEqual(['Successful', want]);
  });

  test('of each measurement is another one', async () => {
    const run = await cluster.run('twice');
    await cluster.measure(migration(), { run, number: 1 });
    await cluster.measure(migration(), { run, number: 2 });
    await eventually('there are two', async () => (await jobsOf('twice')).length === 2);
  });

  test('whose run is over is deleted with its pods, one that has ended stays', async () => {
    const run = await cluster.run('over');
    await cluster.measure(migration(), { run, number: 1 });
    await endPod(await podOf('over'), 0);
    await untilEnd(migration(), { run, number: 1 });
    await cluster.measure(migration(), { run, number: 2 });
    expect(await jobsOf('over')).toHaveLength(2);
    await cluster.endJobs(run);
    await eventually('one is left', async () => (await jobsOf('over')).length === 1);
    await cluster.endJobs(run);
    expect((await jobsOf('over'))[0]?.status).toMatchObject({ succeeded: 1 });
  });

  test('goes with its HookRun', async () => {
    const run = await cluster.run('collected');
    await cluster.measure(migration(), { run });
    await cluster.kubectl('delete', 'hookrun', 'collected');
    // The garbage collector looks for new kinds, such as HookRun, every 30 s only.
    const timeoutMs = 120_000;
    await eventually('its Job is gone', async () => (await jobsOf('collected')).length === 0, { timeoutMs });
  });
});

describe('what goes wrong is an Error', () => {
  test('a Job that somebody deleted is not made again', async () => {
    const run = await cluster.run('deleted');
    const begun = await cluster.measure(migration(), { run });
    await cluster.kubectl('delete', 'job', '-l', `holdfast.dev/hook-run-uid=${run.uid}`);
    const made = await cluster.measure(migration(), { run, begunAt: begun.startedAt });
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringMatching(/was deleted before it ended$/) });
    expect(await jobsOf('deleted')).toEqual([]);
  });

  test('a name that somebody else has', async () => {
    const run = await cluster.run('taken');
    await cluster.measure(migration(), { run });
    const [job] = await jobsOf('taken');
    const patch = { kind: 'merge', body: { metadata: { ownerReferences: null } } } as const;
    await cluster.client.patch(JOBS, job!.metadata, patch);
    const made = await cluster.measure(migration(), { run });
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining('belongs to somebody else') });
  });

  test.each<[string, object, string]>([
    ['a spec that is none', { parallelism: -1 }, 'the Job is refused: spec.parallelism: '],
    ['a type that does not fit', { backoffLimit: 'many' }, 'the Job is refused: '],
  ])('%s', async (name, spec, message) => {
    const run = await cluster.run(name.replaceAll(' ', '-'));
    const made = await cluster.measure(migration(spec), { run });
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining(`provider.job: ${message}`) });
  });
});
