/** Manifests as users of the existing operators wrote them: applied as they are, and carried out. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { HookRun } from '../../crds/hook-run.ts';
import { HookScene } from './hook-scene.ts';

const fileOf = (name: string) => fileURLToPath(new URL(`inputs/${name}`, import.meta.url));

let scene: HookScene;

beforeAll(async () => {
  scene = await HookScene.open();
});

afterAll(() => scene.close());

test.each(['podip.yaml', 'web.yaml'])('the HookTemplate %s is taken, and nothing of it is dropped', async (file) => {
  const written = await scene.kubectl('apply', '-f', fileOf(file), '-o', 'yaml');
  const { spec } = parse(readFileSync(fileOf(file), 'utf8')) as { spec: object };
  expect(parse(written)).toMatchObject({ spec });
});

test('a HookRun that says terminate is ended without a question, and one that had its verdict keeps it', async () => {
  const manifest = parse(readFileSync(fileOf('hookrun.yaml'), 'utf8')) as HookRun;
  const { name } = manifest.metadata;
  await scene.kubectl('apply', '-f', fileOf('hookrun.yaml'));
  expect(await (await scene.ring(name, 'added')).result()).toMatchObject({ phase: 'Terminated' });
  expect((await scene.read(name)).status?.metricResults).toMatchObject([{ name: 'webtest', phase: 'Skipped' }]);
  // As the operator before has left it.
  const path = `/apis/tkex.tencent.com/v1alpha1/namespaces/default/hookruns/${name}/status`;
  const status = { finishedAt: null, message: null, metric: null, ...manifest.status };
  const { body } = await scene.stack.api('PATCH', path, { status });
  expect(await (await scene.ring(name, 'resync')).result()).toMatchObject({ phase: 'Failed' });
  expect(await scene.read(name)).toEqual(body);
});
