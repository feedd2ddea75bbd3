/** The words of people for both kinds, as commands, signals and updates: what each does, and why it is refused. */
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HUMAN_VERBS, type HumanMessage } from '../../core/rollout/types.ts';
import type { ControllerProcess } from '../faults/process.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from '../workers/installation.ts';

/** Two cores are shared by five servers and whatever else runs. */
const PATIENCE = { timeoutMs: 150_000, intervalMs: 500 };
const STEPS = { canary: { steps: [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }] } };

let here: Installation;
let controller: ControllerProcess;
let client: Client;

beforeAll(async () => {
  here = await Installation.open();
  await here.holdfast(['install', '--temporal-address', here.stack.env.TEMPORAL_ADDRESS ?? '']);
  controller = await here.controller();
  client = new Client({ connection: await Connection.connect({ address: here.stack.env.TEMPORAL_ADDRESS }) });
});
afterAll(async () => {
  await client?.connection.close();
  await controller?.kill();
  await here.close();
});

/** The same game as a GameStatefulSet. */
function gameStatefulSet(name: string, image: string, updateStrategy: object = {}): object {
  const { spec, ...rest } = gameDeployment(name, image, updateStrategy);
  return { ...rest, kind: 'GameStatefulSet', spec: { ...spec, serviceName: name, podManagementPolicy: 'Parallel' } };
}

/** The answer to an update, or the refusal. */
async function ask(workflowId: string, verb: string, message: HumanMessage = {}): Promise<string> {
  try {
    return await client.workflow.getHandle(workflowId).executeUpdate<string, [HumanMessage]>(verb, { args: [message] });
  } catch (error) {
    return `refused: ${error instanceof Error && error.cause instanceof Error ? error.cause.message : error}`;
  }
}

describe.each([
  { kind: 'gamedeployment', make: gameDeployment },
  { kind: 'gamestatefulset', make: gameStatefulSet },
])('$kind', ({ kind, make }) => {
  const target = `${kind}/lobby`;
  const workload = `${kind}/default/lobby`;
  const rollout = `${workload}/rollout`;

  const isPausedAt = (step: number) =>
    eventually(
      `it is paused at step ${step}`,
      () =>
        here.kubectl([
          ...['get', target, '-o'],
          'jsonpath={.status.currentStepIndex}/{.status.pauseConditions[0].reason}',
        ]),
      { ...PATIENCE, until: (text) => text === `${step}/PausedByCanaryPauseStep` },
    );
  const isReady = () => here.kubectl(['wait', target, '--for=condition=Ready', '--timeout=150s']);

  beforeAll(async () => {
    await here.kubectl(['apply', '-f', '-'], make('lobby', 'game:1'));
    await isReady();
    await here.kubectl(['apply', '-f', '-'], make('lobby', 'game:2', STEPS));
    await isPausedAt(1);
  });

  test('each word of a rollout is a signal and an update, described', async () => {
    const text = await here.temporal(['workflow', 'metadata', '-w', rollout, '-o', 'json']);
    const definitionsOf = (verb: string) => text.match(new RegExp(`"name": ?"${verb}"`, 'g'))?.length ?? 0;
    expect(HUMAN_VERBS.map((verb) => [verb, definitionsOf(verb)])).toEqual(HUMAN_VERBS.map((verb) => [verb, 2]));
    expect(text).toContain('Ends the present pause; {by?, reason?, step?}');
  });

  test('in a pause: what cannot be done, and why', async () => {
    expect(await ask(rollout, 'pause')).toMatch(/^refused: Already paused\. Step 1 is paused since /);
    expect(await ask(rollout, 'retry')).toMatch(/^refused: Nothing to retry: only a failed hook, .* Step 1 is paused/);
    for (const verb of HUMAN_VERBS) {
      expect(await ask(rollout, verb, { step: 3 })).toBe('refused: The rollout is at step 1, not at step 3');
    }
  });

  test('a word that is sent to the wrong workflow is told where to go', async () => {
    expect(await ask(workload, 'resume')).toContain(`what is for its rollout goes to ${rollout}`);
    expect(await ask(workload, 'skip')).toContain('Nothing to skip: no hook of a pod has failed');
    const taken = HUMAN_VERBS.join(', ');
    expect(await ask(rollout, 'stop')).toContain(`unknown update stop: this workflow takes ${taken}`);
  });

  test('an aborted rollout takes only retry, which starts again', async () => {
    expect(await ask(rollout, 'abort')).toMatch(/^Aborted: pods go back to [^.]+$/);
    for (const verb of HUMAN_VERBS.filter((each) => each !== 'retry')) {
      const refusal = 'refused: The rollout is aborted: send retry to start it again at step 0, or change the template';
      expect(await ask(rollout, verb)).toBe(refusal);
    }
    expect(await ask(rollout, 'retry')).toMatch(/^Started again at step 0\. /);
    // The status may still tell of the pause before the abort.
    const until = (text: string) => text.includes('Step 1 is paused');
    await eventually('the rollout is paused again', () => ask(rollout, 'retry'), { ...PATIENCE, until });
    await isPausedAt(1);
  });

  test('skip and promote to the end; then nothing is open any more', async () => {
    const skipped = await here.holdfast(['skip', target, '--step', '1']);
    expect(skipped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Skipped the pause of step 1\. /) });
    await isPausedAt(3);
    expect(await ask(rollout, 'promote', { step: 3 })).toMatch(/^Promoted: all remaining steps are passed\. /);
    await client.workflow.getHandle(rollout).result();
    const late = await here.holdfast(['pause', target]);
    const said = `holdfast: No rollout of ${target} is open in namespace default: see \`holdfast get ${target} -n default\`\n`;
    expect([late.code, late.stderr]).toEqual([1, said]);
    const idle = await here.holdfast(['retry', target]);
    expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining('no hook of a pod has failed')]);
    await isReady();
  });
});
