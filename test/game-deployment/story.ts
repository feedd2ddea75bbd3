/** The story of the issue: the manifest of existing users, a canary, a person with the stock CLI. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import { GameNamespace, imageOf, restartsOf, uidsOf } from './game-namespace.ts';
import type { Stories } from './scene.ts';

const NAME = 'test-gamedeployment';

/** As existing users write it, where the inputs of the project stand beside the checkout; else our own of the same shape. */
function readInput<T>(file: string): T {
  const shared = join(import.meta.dirname, '..', '..', '..', 'shared', 'inputs', file);
  const own = join(import.meta.dirname, 'inputs', file);
  return parse(readFileSync(existsSync(shared) ? shared : own, 'utf8')) as T;
}

/** Waits of minutes become seconds; nothing else is changed. */
function readWorkload(): GameDeployment {
  const workload = readInput<GameDeployment>('gamedeployment.yaml');
  const strategy = workload.spec.updateStrategy ?? {};
  for (const { pause } of strategy.canary?.steps ?? []) if (pause?.duration !== undefined) pause.duration = 3;
  if (strategy.inPlaceUpdateStrategy) strategy.inPlaceUpdateStrategy.gracePeriodSeconds = 1;
  workload.metadata.name = NAME;
  workload.spec.template.spec.containers[0]!.image = 'python:3.5';
  return workload;
}

function readTemplate(url: string): HookTemplate {
  const template = readInput<HookTemplate>('hooktemplate-web.yaml');
  for (const metric of template.spec.metrics) {
    metric.interval = '3s';
    if (metric.provider.web) metric.provider.web.url = url;
  }
  return template;
}

const paused = (index: number) => (workload: GameDeployment) =>
  workload.status?.currentStepIndex === index && (workload.status.pauseConditions?.length ?? 0) === 1;

export const story: Stories = {
  'an image change walks through its steps, resumed by temporal workflow signal': async (scene) => {
    const space = new GameNamespace(scene, 'default');
    scene.target.answer('/story', () => ({ value: 10 }));
    const resume = (by: string) => space.signal(space.rolloutId(NAME), 'resume', { by, reason: 'looks good' });
    await space.apply(readTemplate(`${scene.target.origin}/story`), readWorkload());
    const first = await space.untilPods({ 'python:3.5': 5 });
    await space.untilReady(NAME);

    await space.setImage(NAME, 'python:3.6');
    await space.until('it is paused at step 1', NAME, paused(1));
    const second = await space.untilPods({ 'python:3.5': 3, 'python:3.6': 2 });
    expect(uidsOf(second)).toEqual(uidsOf(first));
    expect(second.map((pod) => `${imageOf(pod)} ${restartsOf(pod)}`).sort()).toEqual([
      ...['python:3.5 0', 'python:3.5 0', 'python:3.5 0'],
      ...['python:3.6 1', 'python:3.6 1'],
    ]);
    const table = await space.kubectl('get', 'gamedeployment', NAME);
    expect(table.split('\n')[0]?.split(/\s+/).slice(0, 6)).toEqual([
      'NAME',
      'DESIRED',
      'UPDATED',
      'UPDATED_READY',
      'READY',
      'TOTAL',
    ]);
    expect(table.split('\n')[1]?.split(/\s+/).slice(0, 6)).toEqual([NAME, '5', '2', '2', '5', '5']);

    await resume('ana');
    await space.untilPods({ 'python:3.5': 1, 'python:3.6': 4 });
    await space.until('it is paused at step 5', NAME, paused(5));
    await space.untilPods({ 'python:3.5': 1, 'python:3.6': 4 });

    await resume('bob');
    const last = await space.untilPods({ 'python:3.6': 5 });
    expect(uidsOf(last)).toEqual(uidsOf(first));
    const { status } = await space.untilReady(NAME);
    const result = await space.result(NAME);
    expect(result).toMatchObject({ outcome: 'Completed', toRevision: status?.updateRevision });
    expect(result.steps.map(({ step, outcome, by }) => [step, outcome, by])).toEqual([
      [0, 'done', undefined],
      [1, 'resumed', 'ana'],
      [2, 'done', undefined],
      [3, 'elapsed', undefined],
      [4, 'done', undefined],
      [5, 'resumed', 'bob'],
      [6, 'done', undefined],
    ]);
    for (const { startedAt, endedAt = '' } of result.steps) expect(startedAt <= endedAt).toBe(true);
    const run = (await space.hookRuns()).find(({ metadata }) => metadata.labels?.['hookrun-type'] === 'canary-step');
    expect(run?.status).toMatchObject({ phase: 'Successful' });
    const measured = run?.status?.metricResults?.[0]?.measurements?.at(-1)?.finishedAt ?? '';
    expect(Date.parse(result.steps[4]?.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(measured));
    expect(await space.kubectl('get', 'hookrun', run?.metadata.name ?? '')).toMatch(
      /NAME\s+PHASE\s+METRIC\s+VALUE\s+NEXT\s+AGE\n\S+\s+Successful\s+\S+\s+10\s+\d+/,
    );
    const { metadata } = await space.revision(status?.updateRevision ?? '');
    expect(JSON.parse(metadata.annotations?.['holdfast.dev/rollout'] ?? '{}')).toMatchObject({
      outcome: 'Completed',
    });
    expect(await space.historyLength(space.workloadId(NAME))).toBeLessThan(700);
    expect(await space.historyLength(space.rolloutId(NAME))).toBeLessThan(200);
  },
};
