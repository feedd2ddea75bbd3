/** kubectl as people know it from other workloads. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import type { GameScene } from '../game-deployment/scene.ts';
import type { Kind, Tell } from './kinds.ts';

const STEPS = [{ partition: 2 }, { pause: {} }, { partition: 1 }];
const PODS = 3;
/** Of a canary of three pods: some three for each step, and those of its beginning and end. */
const MOST_WRITES = 20;

async function ready(scene: GameScene, kind: Kind, theme: string): Promise<GameNamespace<GameWorkload>> {
  const space = await kind.open(scene, theme);
  await space.apply(kind.manifest('lobby', { replicas: PODS, steps: STEPS }));
  await space.untilReady('lobby');
  return space;
}

async function pausedCanary(space: GameNamespace<GameWorkload>): Promise<void> {
  await space.setImage('lobby', 'game:2');
  await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
}

/** Writes of statuses in the namespace, as the API server heard them. */
function statusWrites({ scene, name }: GameNamespace<GameWorkload>): number {
  const lines = readFileSync(scene.stack.auditLogPath, 'utf8').split('\n').filter(Boolean);
  const refs = lines.map((line) => (JSON.parse(line) as { objectRef: Record<string, string> }).objectRef);
  const isStatus = ({ resource, subresource }: Record<string, string>) =>
    resource?.startsWith('game') && subresource === 'status';
  return refs.filter((ref) => ref.namespace === name && isStatus(ref)).length;
}

const isGrowing = (values: number[]) => values.every((value, index) => value >= (values[index - 1] ?? 0));

/** Reasons of the events that `kubectl describe` shows, from top to bottom. */
function reasonsIn(described: string): string[] {
  const [, events = ''] = described.split(/^Events:$/m);
  const rows = events.split('\n').filter((line) => /^ +(Normal|Warning) /.test(line));
  return rows.map((row) => row.trim().split(/\s+/)[1] ?? '');
}

export const people: Record<string, Tell> = {
  'kubectl wait knows each condition, a value in the status, and the end': async ({ scene }, kind) => {
    const space = await kind.open(scene, 'wait');
    const wait = async (...what: string[]) => {
      for (const each of what)
        expect(await space.kubectl('wait', `--for=${each}`, `${kind.lower}/lobby`, '--timeout=90s')).toContain('met');
    };
    await space.apply(kind.manifest('lobby', { replicas: PODS, steps: STEPS }));
    await wait('condition=Ready', 'condition=Available', 'condition=Progressing');
    await wait('condition=Paused=False', 'condition=Degraded=False');
    await space.setImage('lobby', 'game:2');
    await wait('condition=Paused', 'condition=Progressing=Unknown', 'condition=Ready=False', 'condition=Available');
    await wait('jsonpath={.status.currentStepIndex}=1', 'jsonpath={.status.pauseConditions[0].reason}');
    await space.signal(space.rolloutId('lobby'), 'resume');
    await wait('condition=Paused=False', 'condition=Ready', `jsonpath={.status.updatedReadyReplicas}=${PODS}`);
    await space.untilPods({ 'game:2': PODS });
    await space.kubectl('delete', kind.lower, 'lobby', '--wait=false');
    await space.kubectl('wait', '--for=delete', `${kind.lower}/lobby`, '--timeout=60s');
  },

  'kubectl describe: conditions as one reads them, events as things happened': async ({ scene }, kind) => {
    const space = await ready(scene, kind, 'describe');
    await pausedCanary(space);
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilReady('lobby');
    const story = [
      'SuccessfulCreate',
      'RolloutStarted',
      'PausedByCanaryPauseStep',
      'RolloutResumed',
      'RolloutCompleted',
    ];
    const seen = await space.eventually('all events are written', async () => {
      const reasons = reasonsIn(await space.kubectl('describe', kind.lower, 'lobby'));
      return story.every((reason) => reasons.includes(reason)) && reasons;
    });
    expect([...new Set(seen)].filter((reason) => story.includes(reason))).toEqual(story);
    const conditions = (await space.workload('lobby')).status?.conditions?.map(({ type }) => type);
    expect(conditions).toEqual(['Ready', 'Available', 'Progressing', 'Paused', 'Degraded']);
  },

  'kubectl get -w: numbers that do not flicker, and few writes': async ({ scene }, kind) => {
    const space = await ready(scene, kind, 'watch');
    const before = statusWrites(space);
    const columns = 'UPDATED:.status.updatedReplicas,READY:.status.readyReplicas';
    const watch = scene.follow([
      ...['-n', space.name, 'get', kind.lower, 'lobby', '--watch', '--no-headers', '-o', `custom-columns=${columns}`],
    ]);
    await space.eventually('the watch has begun', () => watch.lines.length > 0);
    await pausedCanary(space);
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilReady('lobby');
    const rows = await space.eventually('the watch shows the end', () => {
      const numbers = watch.lines.map((line) => line.trim().split(/\s+/).map(Number));
      return numbers.length > 3 && numbers.at(-1)?.every((value) => value === PODS) && numbers;
    });
    watch.end();
    const canary = (rows || []).slice((rows || []).findIndex(([updated = 0]) => updated < PODS));
    expect(isGrowing(canary.map(([updated = 0]) => updated))).toBe(true);
    expect(canary.filter(([, available = 0]) => available < PODS - 1)).toEqual([]);
    expect(statusWrites(space) - before).toBeLessThan(MOST_WRITES);
  },

  'kubectl get -o wide says in which state it is': async ({ scene }, kind) => {
    const space = await ready(scene, kind, 'wide');
    await pausedCanary(space);
    const wide = await space.kubectl('get', kind.lower, 'lobby', '-o', 'wide');
    expect(wide).toMatch(/AVAILABLE +STEP +STATE +MESSAGE/);
    expect(wide).toMatch(/ 3 +1 +PausedByCanaryPauseStep +Step 1 of 3 is paused since/);
    const narrow = await space.kubectl('get', kind.lower, 'lobby');
    expect(narrow).not.toContain('STATE');
  },

  'kubectl scale: the subresource has the selector, and a wrong number is refused': async ({ scene }, kind) => {
    const space = await ready(scene, kind, 'scale');
    const scale = JSON.parse(await space.kubectl('get', kind.lower, 'lobby', '--subresource=scale', '-o', 'json'));
    expect(scale).toMatchObject({ spec: { replicas: PODS }, status: { replicas: PODS, selector: 'app=lobby' } });
    const wrong = await space.refusedKubectl('scale', `${kind.lower}/lobby`, '--current-replicas=7', '--replicas=1');
    expect(wrong).toContain('Expected replicas to be 7');
    await space.kubectl('scale', `${kind.lower}/lobby`, '--current-replicas=3', '--replicas=1', '--timeout=60s');
    await space.untilPods({ 'game:1': 1 });
  },

  'kubectl rollout and kubectl set image know only the kinds of Kubernetes': async ({ scene }, kind) => {
    const space = await ready(scene, kind, 'rollout');
    const target = `${kind.lower}/lobby`;
    for (const verb of ['status', 'history', 'restart', 'pause', 'undo'])
      expect(await space.refusedKubectl('rollout', verb, target)).toContain(`no kind "${kind.kind}" is registered`);
    expect(await space.refusedKubectl('set', 'image', target, 'game=game:2')).toContain('no kind');
    await space.untilPods({ 'game:1': PODS });
  },
};
