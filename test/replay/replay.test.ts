/** Histories of real runs, kept in test/histories, replayed with today's code: no release may lose a run in its middle. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
import { insertSignal } from './inserted-signal.ts';

const HISTORIES = new URL('../histories/', import.meta.url);
const files = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));

let workflowBundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  workflowBundle = await bundleWorkflows(workflowsPath, logger);
});

const read = (file: string) => readFileSync(new URL(file, HISTORIES), 'utf8');
const replay = (text: string) => Worker.runReplayHistory({ workflowBundle }, JSON.parse(text) as unknown);

test.each(files)('%s', async (file) => {
  await replay(read(file));
});

test.each(files)('%s tells nothing of the machine that made it', (file) => {
  expect(read(file)).not.toMatch(/\/(work|root|home|tmp)\//);
});

test('a history that other code has made is refused', async () => {
  const foreign = read('rollout-story.json').replaceAll('createStepHookRun', 'createAnotherHookRun');
  await expect(replay(foreign)).rejects.toThrow(/[Nn]ondeterminism/);
});

/** It was a note then, and ends looks and waves now: where it cut one short the run could never be replayed. */
test.each(['abort', 'promote'])('a workload of before that was told to %s took no notice of it', async (signal) => {
  await replay(insertSignal(read('workload-temporal-restarted.json'), 37, signal));
});
