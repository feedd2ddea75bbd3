/** A controller with the rights of deploy/ and no others: what it says of a pause that it may not write, and what mends it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { canary, gameDeployment } from '../game-deployment/manifests.ts';
import { GameScene } from '../game-deployment/scene.ts';
import { answerPauses, asksForIt, pauseInSpec } from '../game-deployment/write-paused.ts';

let scene: GameScene;

/** The kubeconfig of the service account that `holdfast install` makes. */
async function ofServiceAccount(): Promise<string> {
  const { stdout, stderr } = await scene.kubectl(['create', 'token', 'holdfast', '-n', 'holdfast-system']);
  expect(stderr).toBe('');
  const config = parse(readFileSync(scene.stack.kubeconfig, 'utf8'));
  config.users[0].user = { token: stdout.trim() };
  const path = `${scene.stack.kubeconfig}-of-holdfast`;
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  scene = await GameScene.install();
  await scene.startController(await ofServiceAccount());
});
afterAll(() => scene?.close());

test('without the right the rollout pauses as always and names the flag of install; with it the script goes on', async () => {
  const space = await scene.namespace('rights');
  const steps = [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }];
  await space.apply(gameDeployment('lobby', { replicas: 3, annotations: asksForIt, ...canary(steps) }));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  await space.setImage('lobby', 'game:2');
  const message = await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
  expect(message).toMatch(/temporal workflow signal .* could not be set to true.*`holdfast install --write-paused`/);
  const { note, type } = await space.untilEvent('PauseNotWritten');
  expect([type, note]).toEqual(['Warning', expect.stringContaining('`holdfast install --write-paused`')]);
  expect(pauseInSpec(await space.workload('lobby'))).toEqual([undefined, false]);
  await space.signal(space.rolloutId('lobby'), 'resume', { step: 1 });
  await space.until('it is paused again', 'lobby', ({ status }) => status?.currentStepIndex === 3);
  const installed = await scene.holdfast(['install', '--no-temporal', '--write-paused']);
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  await answerPauses(space, 'gamedeployment', 1);
  await space.untilPods({ 'game:2': 3 });
  const { steps: log } = await space.result('lobby');
  expect(log).toContainEqual(expect.objectContaining({ step: 3, by: 'spec.updateStrategy.paused' }));
});
