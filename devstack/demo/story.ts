/** The demo as a story: a lobby comes up, its image changes, a person (or `--yes`) lets the canary go on. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RolloutFacts } from '../../cli/rollout-facts.ts';
import type { RolloutResult } from '../../core/rollout/types.ts';
import { invitation, signalOf } from './invitation.ts';
import { type WatchOptions, watchRollout } from './live-view.ts';
import type { Stage } from './stage.ts';
import { summaryOf } from './summary.ts';

const EXAMPLE = join(dirname(dirname(import.meta.dirname)), 'examples', 'lobby');
const PATIENCE_MS = 120_000;
/** A person may look around first. */
const PERSON_MS = 12 * 3_600_000;

/** @throws Error where the rollout does not complete. */
export async function tellStory(stage: Stage, isAnsweredByItself: boolean): Promise<void> {
  await bringUp(stage);
  await changeImage(stage);
  await goOn(stage, isAnsweredByItself);
  const result = await finish(stage);
  console.log(`\n${summaryOf(result)}\n`);
  if (result.outcome !== 'Completed') throw new Error(`the rollout ended as ${result.outcome}, not as Completed`);
}

async function bringUp(stage: Stage): Promise<void> {
  const hooks = await readFile(join(EXAMPLE, 'hooktemplates.yaml'), 'utf8');
  const path = join(stage.stack.dir, 'hooktemplates.yaml');
  await writeFile(path, hooks.replaceAll('lobby-admin.example:8080', stage.admin.address));
  await stage.type('kubectl', 'apply', '-f', path, '-f', 'examples/lobby/gamedeployment.yaml');
  await watchRollout(stage, isReady, { what: 'the lobby is up', timeoutMs: PATIENCE_MS });
  await stage.type('kubectl', 'get', 'gamedeployment', 'lobby');
}

async function changeImage(stage: Stage): Promise<void> {
  const path = '/spec/template/spec/containers/0/image';
  const patch = JSON.stringify([{ op: 'replace', path, value: 'example/lobby:2' }]);
  await stage.type('kubectl', 'patch', 'gamedeployment', 'lobby', '--type=json', '-p', patch);
  const options = { what: 'the canary stands at its pause', timeoutMs: PATIENCE_MS };
  await watchRollout(stage, isPausedForPerson, options);
}

async function goOn(stage: Stage, isAnsweredByItself: boolean): Promise<void> {
  const { stack, workload } = stage;
  if (isAnsweredByItself) {
    await stage.type('temporal', ...signalOf(workload, 'demo'));
    return;
  }
  const footer = invitation(stack, workload, process.env);
  if (!process.stdout.isTTY) console.log(`\n${footer}\n`);
  const options: WatchOptions = { what: 'somebody resumes the rollout', timeoutMs: PERSON_MS, footer };
  await watchRollout(stage, (facts) => !isPausedForPerson(facts), options);
}

async function finish(stage: Stage): Promise<RolloutResult> {
  const isOver = (facts: RolloutFacts) => facts.rollout.from === 'result' && isReady(facts);
  const { rollout } = await watchRollout(stage, isOver, { what: 'the rollout ends', timeoutMs: PATIENCE_MS });
  await stage.type('kubectl', 'get', 'gamedeployment', 'lobby');
  if (rollout.from !== 'result') throw new Error('the rollout left no result');
  return rollout.result;
}

function isReady({ workload: { metadata, status } }: RolloutFacts): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return status?.observedGeneration === metadata.generation && ready?.status === 'True';
}

function isPausedForPerson({ rollout }: RolloutFacts): boolean {
  if (rollout.from !== 'run') return false;
  const { pause, stepIndex } = rollout.report.view;
  return pause !== undefined && pause.endsAtMs === undefined && stepIndex === 1;
}
