/** Whole HookRuns whose check is a Job: a worker dies, a person terminates, another metric ends the run. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Metric } from '../../crds/metric.ts';
import { eventually } from '../support/eventually.ts';
import { HookScene } from './hook-scene.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

interface Job {
  metadata: { name: string; uid: string; annotations?: Record<string, string> };
}

let scene: HookScene;

beforeAll(async () => {
  scene = await HookScene.open();
});

afterAll(() => scene.close());

const migrate: Metric = {
  name: 'migrate',
  provider: { job: { spec: { template: { spec: { containers: [{ name: 'migrate', image: 'migrate:1' }] } } } } },
};

async function jobsOf(run: string): Promise<Job[]> {
  const { body } = await scene.stack.api('GET', JOBS);
  return (body as { items: Job[] }).items.filter(({ metadata }) => metadata.name.startsWith(`${run}-`));
}

const jobOf = (run: string) =>
  eventually(`the Job of ${run} is let go`, async () => {
    const [job] = await jobsOf(run);
    return job?.metadata.annotations?.['holdfast.dev/held'] === undefined ? job : undefined;
  });

/** Nobody runs pods here: what the Job controller would report. */
async function complete({ metadata }: Job): Promise<void> {
  const time = new Date().toISOString();
  const met = { status: 'True', lastProbeTime: time, lastTransitionTime: time };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ ...met, type }));
  const status = { succeeded: 1, startTime: time, completionTime: time, conditions };
  const answer = await scene.stack.api('PATCH', `${JOBS}/${metadata.name}/status`, { status });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

const isWaited = (run: string) =>
  scene.seen(
    run,
    'waits for its Job',
    ({ status }) => status?.message?.includes('metric migrate waits for Job') === true,
  );

test('a worker is killed while a Job runs: the next one waits for the same Job', async () => {
  const handle = await scene.start('killed-job', { metrics: [migrate] });
  const job = await jobOf('killed-job');
  await isWaited('killed-job');
  await scene.endHookWorker('SIGKILL');
  await complete(job);
  await scene.startHookWorker();
  expect(await handle.result()).toMatchObject({ phase: 'Successful' });
  expect((await jobsOf('killed-job')).map(({ metadata }) => metadata.uid)).toEqual([job.metadata.uid]);
  const { status } = await scene.read('killed-job');
  expect(status?.metricResults?.[0]).toMatchObject({
    phase: 'Successful',
    count: 1,
    measurements: [{ phase: 'Successful', message: `no pod of Job ${job.metadata.name} is left to ask` }],
  });
});

test('a worker is killed and somebody deletes the Job meanwhile: it is not made again', async () => {
  const once = { ...migrate, consecutiveErrorLimit: 0 };
  const handle = await scene.start('deleted-job', { metrics: [once] });
  const job = await jobOf('deleted-job');
  await isWaited('deleted-job');
  await scene.endHookWorker('SIGKILL');
  await scene.stack.api('DELETE', `${JOBS}/${job.metadata.name}?propagationPolicy=Background`);
  await scene.startHookWorker();
  expect(await handle.result()).toMatchObject({
    phase: 'Error',
    message: expect.stringContaining('was deleted before it'),
  });
  expect(await jobsOf('deleted-job')).toEqual([]);
});

test('a run that is terminated ends its Job', async () => {
  const handle = await scene.start('terminated-job', { metrics: [migrate] });
  await jobOf('terminated-job');
  await isWaited('terminated-job');
  const patch = '{"spec":{"terminate":true}}';
  await scene.kubectl('patch', 'hookrun', 'terminated-job', '--type', 'merge', '-p', patch);
  await scene.ring('terminated-job', 'changed');
  expect(await handle.result()).toMatchObject({ phase: 'Terminated' });
  expect(await jobsOf('terminated-job')).toEqual([]);
  expect((await scene.read('terminated-job')).status?.metricResults?.[0]).toMatchObject({ phase: 'Terminated' });
});

test('a poll beside a Job is not held up by it, and ends it when it fails', async () => {
  scene.target.answer('/beside', (question) => ({ value: question < 4 ? 45 : 12 }));
  const url = `${scene.target.origin}/beside`;
  const poll: Metric = {
    ...{ name: 'players', interval: '500ms', failureLimit: 1, successCondition: 'asInt(result) > 30' },
    provider: { web: { url, jsonPath: '{$.age}' } },
  };
  const handle = await scene.start('beside-job', { metrics: [migrate, poll] });
  await jobOf('beside-job');
  expect(await handle.result()).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('metric players failed'),
  });
  expect(await jobsOf('beside-job')).toEqual([]);
  expect(scene.target.asked('/beside')).toBe(5);
});
