/** HookTemplates as users of the existing operators wrote them, from the template to the verdict; only addresses are replaced. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildHookRun } from '../../core/hooks/hook-run.ts';
import { validateHookTemplate } from '../../core/hooks/validation.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import { MeasuringScene } from './measuring-scene.ts';

let scene: MeasuringScene;

beforeEach(async () => {
  scene = await MeasuringScene.open();
});
afterEach(() => scene.close());

const INPUTS = new URL('../../test/hooks/inputs/', import.meta.url);

/** The template with the server's address in place of the one that stands there. */
function readTemplate(file: string): HookTemplate {
  const { host, port } = new URL(scene.url);
  const text = readFileSync(new URL(file, INPUTS), 'utf8');
  return parse(text.replace('1.1.1.1:9091', host).replace(':8080', `:${port}`)) as HookTemplate;
}

/** The run of one pod's gate, measured to its end; waits of a minute pass at once. */
async function outcomeOf(template: HookTemplate): Promise<{ phase: string; waited: number[] }> {
  const owner = { kind: 'GameDeployment', metadata: { name: 'lobby', namespace: 'default', uid: 'w' } };
  const purpose = {
    type: 'gate',
    gate: 'predelete',
    podRevision: 'r',
    instanceId: 'i',
    podUid: 'p',
    attempt: 1,
  } as const;
  const builtIns = [
    { name: 'PodName', value: 'lobby-i' },
    { name: 'PodIP', value: '127.0.0.1' },
  ];
  const built = buildHookRun({ template, step: { templateName: template.metadata.name }, owner, purpose, builtIns });
  if (!('hookRun' in built)) throw new Error(built.message);
  scene.given([]);
  scene.api.change((run) => {
    run.spec = built.hookRun.spec;
  });
  const waited: number[] = [];
  let passedMs = 0;
  scene.nowMs = () => Date.now() + passedMs;
  for (;;) {
    const end = await scene.measure();
    if (end.state === 'ended') return { phase: end.outcome.phase, waited };
    passedMs += end.againInMs;
    waited.push(Math.round(end.againInMs / 1000));
  }
}

const ages = (...values: number[]) => values.map(String);

it.each<[string, string[], string, number[]]>([
  ['podip.yaml', ages(45), 'Successful', [60, 60]],
  ['podip.yaml', ages(12, 12, 45), 'Successful', [60, 60]],
  ['podip.yaml', ages(12), 'Failed', [60, 60]],
  ['web.yaml', ages(12), 'Successful', [60]],
  ['web.yaml', ages(12, 45), 'Failed', [60]],
  ['web.yaml', ages(45), 'Failed', []],
])('%s where the answers are %j is %s', async (file, answers, phase, waited) => {
  const template = readTemplate(file);
  expect(validateHookTemplate(template.spec)).toEqual([]);
  scene.answers = answers;
  expect(await outcomeOf(template)).toEqual({ phase, waited });
});
