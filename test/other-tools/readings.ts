/** What Helm and Flux take a live object for, by their library, from its creation to its end. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import { type Reading, readStatuses } from '../kstatus/kstatus.ts';
import { eventually } from '../support/eventually.ts';
import type { Tell } from './kinds.ts';

const KEEP = 'example.com/kept';

async function read(space: GameNamespace<GameWorkload>, name: string): Promise<Reading> {
  const [reading] = await readStatuses([await space.workload(name)]);
  return reading!;
}

/** Waits as `helm --wait` does: until it is read so, with this in the message. */
async function untilRead(space: GameNamespace<GameWorkload>, status: Reading['status'], says = ''): Promise<void> {
  const until = (seen: Reading) => seen.status === status && seen.message.includes(says);
  const what = `${space.name} is ${status} ${says}`;
  await eventually(what, () => read(space, 'lobby'), { timeoutMs: 90_000, intervalMs: 200, until });
}

export const readings: Record<string, Tell> = {
  'Helm and Flux read each state of a live object as it is': async ({ scene }, kind) => {
    const space = await kind.open(scene, 'read');
    await space.apply(kind.manifest('lobby', { replicas: 3, steps: [{ partition: 2 }, { pause: {} }] }));
    await untilRead(space, 'Current');

    await space.setImage('lobby', 'game:2');
    expect((await read(space, 'lobby')).status).toBe('InProgress');
    await untilRead(space, 'InProgress', 'waits for a person; resume with');
    await space.signal(space.rolloutId('lobby'), 'abort');
    await untilRead(space, 'Failed', 'was aborted');

    await space.setImage('lobby', 'game:1');
    await untilRead(space, 'Current');
    await space.setImage('lobby', 'game:404');
    await untilRead(space, 'InProgress', 'ImagePull');
    await space.setImage('lobby', 'game:1');
    await untilRead(space, 'Current');

    await space.patch('lobby', { spec: { updateStrategy: { paused: true, canary: null } } });
    await untilRead(space, 'Current');
    await space.setImage('lobby', 'game:3');
    await untilRead(space, 'InProgress', 'spec.updateStrategy.paused');
    await space.patch('lobby', { spec: { updateStrategy: { paused: false } } });
    await untilRead(space, 'Current');

    await space.patch('lobby', { metadata: { finalizers: [KEEP] } });
    await space.kubectl('delete', kind.lower, 'lobby', '--wait=false');
    expect((await read(space, 'lobby')).status).toBe('Terminating');
    await space.patch('lobby', { metadata: { finalizers: null } });
    await space.kubectl('wait', '--for=delete', `${kind.lower}/lobby`, '--timeout=60s');
  },
};

/** Nobody may take this for ready: Helm would say that a release is there which nobody has begun. */
export const readingWithoutController: Tell = async ({ scene }, kind) => {
  const space = await kind.open(scene, 'unseen');
  await space.apply(kind.manifest('lobby'));
  expect(await read(space, 'lobby')).toMatchObject({
    status: 'InProgress',
    message: `${kind.kind} generation is 1, but latest observed generation is -1`,
  });
  const refused = await space.refusedKubectl('wait', '--for=condition=Ready', `${kind.lower}/lobby`, '--timeout=1s');
  expect(refused).toContain('timed out waiting for the condition');
};
