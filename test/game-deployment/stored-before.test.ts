/**
 * Objects that a laxer CRD let in: what is wrong with them stops their update, says so with the path of the field, and stops
 * nothing else. The CRDs here are ours without their rules.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gameStatefulSet } from '../game-stateful-set/manifests.ts';
import { eventually } from '../support/eventually.ts';
import { type GameNamespace, uidsOf } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import { GameScene } from './scene.ts';

vi.setConfig({ maxConcurrency: 10, testTimeout: 300_000 });

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'tkex.tencent.com';

let scene: GameScene;
beforeAll(async () => {
  scene = await GameScene.install();
  for (const plural of ['gamedeployments', 'gamestatefulsets']) await loosen(`${plural}.${GROUP}`);
  await eventually('the rules are gone', async () => (await tryNonsense()).status === 201);
  await scene.startController();
});
afterAll(() => scene?.close());

async function loosen(name: string): Promise<void> {
  const { body } = await scene.stack.api('GET', `${CRDS}/${name}`);
  expect(await scene.kubectl(['replace', '-f', '-'], JSON.stringify(withoutRules(body)))).toMatchObject({ code: 0 });
}

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutRules(child)]));
}

const tryNonsense = () =>
  scene.stack.api(
    'POST',
    `/apis/${GROUP}/v1alpha1/namespaces/default/gamestatefulsets?dryRun=All`,
    changed(gameStatefulSet('nonsense'), { serviceName: 'No Name', selector: { matchLabels: { app: 'a b' } } }),
  );

type Spec = Record<string, unknown> & { template: { metadata: { labels: Record<string, string> } } };

function changed(manifest: Record<string, unknown>, spec: object): Record<string, unknown> {
  return { ...manifest, spec: { ...(manifest.spec as Spec), ...spec } };
}

/** The manifest, whose pods have these labels as well. */
function labelled(manifest: Record<string, unknown>, more: Record<string, string>): Record<string, unknown> {
  const { template } = manifest.spec as Spec;
  const labels = { ...template.metadata.labels, ...more };
  return changed(manifest, { template: { ...template, metadata: { ...template.metadata, labels } } });
}

async function untilRefused(space: GameNamespace, name = 'lobby'): Promise<string> {
  await space.untilReason(name, 'Ready', 'InvalidTemplate');
  return space.untilReason(name, 'Progressing', 'InvalidTemplate');
}

/** One more pod is asked for and one is lost: there are three of the old image again, one of them from before. */
async function scaleAndHeal(space: GameNamespace): Promise<void> {
  const before = await space.untilPods({ 'game:1': 2 });
  await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
  await space.untilPods({ 'game:1': 3 });
  const [lost] = before;
  await space.kubectl('delete', 'pod', lost?.metadata.name ?? '', '--wait=false');
  await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(lost?.metadata.uid ?? ''));
  const healed = uidsOf(await space.untilPods({ 'game:1': 3 }));
  expect(uidsOf(before).filter((uid) => healed.includes(uid))).toHaveLength(1);
}

describe.concurrent('a template', () => {
  it('with a label that the API does not take: scaling and healing go on, a good one recovers', async () => {
    const space = await scene.namespace('bad-label');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    const next = gameDeployment('lobby', { replicas: 2, image: 'game:2' });
    await space.apply(labelled(next, { version: 'v1+build' }));
    expect(await untilRefused(space)).toContain('The API refuses spec.template.metadata.labels: ');
    await space.untilEvent('InvalidTemplate');
    await scaleAndHeal(space);
    await space.apply(labelled(gameDeployment('lobby', { replicas: 3, image: 'game:3' }), { version: 'v1-build' }));
    await space.untilPods({ 'game:3': 3 });
    await space.untilReady('lobby');
  });

  it('that drops a label the selector wants: the same, and its revisions go on counting', async () => {
    const space = await scene.namespace('left-selector');
    const selector = {
      matchLabels: { app: 'lobby' },
      matchExpressions: [{ key: 'tier', operator: 'Exists' as const }],
    };
    const version = (image: string, replicas: number) => gameDeployment('lobby', { replicas, image, selector });
    await space.apply(labelled(version('game:1', 2), { tier: 'gold' }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.apply(version('game:2', 2));
    expect(await untilRefused(space)).toContain(
      'spec.template.metadata.labels: the selector would not match a pod, it wants a label tier',
    );
    await space.untilEvent('InvalidTemplate');
    await scaleAndHeal(space);
    await space.apply(version('game:3', 3));
    await space.until(
      'the third template is seen',
      'lobby',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    await untilRefused(space);
    expect(await revisionNumbers(space)).toEqual([1, 2, 3]);
    await space.apply(labelled(version('game:4', 3), { tier: 'gold' }));
    await space.untilPods({ 'game:4': 3 });
    await space.untilReady('lobby');
    expect(await revisionNumbers(space)).toEqual([1, 2, 3, 4]);
  });

  it('whose selector asks for what no label can be creates nothing, and says so', async () => {
    const space = await scene.namespace('bad-selector');
    const selector = { matchLabels: { app: 'lobby', version: 'v1+build' } };
    await space.apply(labelled(gameDeployment('lobby', { replicas: 2, selector }), { version: 'v1+build' }));
    expect(await untilRefused(space)).toContain('spec.selector.matchLabels: version=v1+build is no label');
    expect(await space.pods()).toEqual([]);
  });
});

describe.concurrent('a GameStatefulSet', () => {
  const claims = (...names: string[]) => names.map((name) => ({ metadata: { name }, spec: {} }));

  it.each([
    ['a service name', 'bad-service', { serviceName: 'World.eu' }, 'spec.serviceName: '],
    [
      'the name of a claim template',
      'bad-claim',
      { volumeClaimTemplates: claims('saves', 'Logs') },
      'spec.volumeClaimTemplates[1].metadata.name: ',
    ],
  ])('%s that no pod can have is told by its field, and may be put right', async (_what, theme, spec, want) => {
    const space = await scene.namespace(theme);
    await space.apply(changed(gameStatefulSet('lobby', { replicas: 1 }), spec));
    await space.sets.untilReason('lobby', 'Ready', 'InvalidTemplate');
    expect(await space.sets.untilReason('lobby', 'Progressing', 'InvalidTemplate')).toContain(want);
    await space.apply(gameStatefulSet('lobby', { replicas: 1 }));
    await space.untilPods({ 'game:1': 1 });
    await space.sets.untilReady('lobby');
  });
});

async function revisionNumbers(space: GameNamespace): Promise<number[]> {
  const path = `/apis/apps/v1/namespaces/${space.name}/controllerrevisions`;
  const { body } = await scene.stack.api('GET', path);
  return (body as { items: { revision: number }[] }).items.map(({ revision }) => revision).sort((a, b) => a - b);
}
