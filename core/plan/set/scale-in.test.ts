import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../crds/kubernetes.ts';
import { iso, NOW } from '../../../test/support/pods.ts';
import { aSetPod, PARALLEL, setPlan, setPods, terminating, told, updating } from '../../../test/support/sets.ts';

const STABLE = { updateRevision: 'r2', stableRevision: 'r2' };

describe('scale-in', () => {
  const pods = [...setPods('uuu'), terminating(aSetPod(3, 'r2').build())];

  it('row 77: OrderedReady waits for the terminating pod, Parallel deletes 2, then 1', () => {
    expect(told(setPlan({ ...STABLE, spec: { replicas: 1 }, pods }))).toBe('');
    expect(told(setPlan({ ...STABLE, spec: { replicas: 1, ...PARALLEL }, pods }))).toBe('-2 -1');
  });

  it('OrderedReady goes one by one from the highest down, while those below are in service', () => {
    expect(told(setPlan({ ...STABLE, spec: { replicas: 1 }, pods: setPods('uuu') }))).toBe('-2');
    expect(told(setPlan({ ...STABLE, spec: { replicas: 1 }, pods: setPods('uuU') }))).toBe('-2');
  });

  describe('under OrderedReady (kubernetes-controllers §3.1), of five to three', () => {
    const [zero, one, two, three, four] = setPods('uuuuu') as [Pod, Pod, Pod, Pod, Pod];
    const starting = (ordinal: number, ageMs: number) => {
      const pod = aSetPod(ordinal, 'r2').phase('Pending').notReady(ageMs).build();
      pod.metadata.creationTimestamp = iso(NOW - ageMs);
      return pod;
    };
    const flapping = (ordinal: number, unreadyMs: number) => aSetPod(ordinal, 'r2').notReady(unreadyMs).build();
    const lost = aSetPod(1, 'r2').node('node-2').notReady().build();
    const ask = (pods: Pod[], maxUnavailable = 2) =>
      setPlan({
        ...{ ...STABLE, pods, nodes: { 'node-1': { ready: true }, 'node-2': { ready: false } } },
        spec: { replicas: 3, ...updating({ maxUnavailable }) },
      });

    it.each<[sentence: string, pods: Pod[], moves: string]>([
      ['the highest goes while those below are in service', [zero, one, two, three, four], '-4'],
      ['one below that starts is waited for', [zero, starting(1, 4_000), two, three, four], ''],
      ['not for ever: after 10 s it is stuck', [zero, starting(1, 10_000), two, three, four], '-4'],
      ['one below that is not ready is waited for', [zero, flapping(1, 4_000), two, three, four], ''],
      ['nor is that', [zero, flapping(1, 10_000), two, three, four], '-4'],
      ['one on a lost node is: nobody can say what it does', [zero, lost, two, three, four], ''],
      ['one on its way out is', [zero, terminating(one), two, three, four], ''],
      ['until it should be gone', [zero, terminating(one, NOW), two, three, four], '-4 '],
      [
        'a surplus pod that is not ready does not wait for a lower one',
        [zero, one, two, flapping(3, 60_000), starting(4, 0)],
        '-4',
      ],
      ['a stuck one keeps no other from going', [zero, one, two, three, starting(4, 60_000)], '-4'],
      [
        'one after the other: the highest must be gone, whatever holds it',
        [zero, one, two, three, terminating(four, NOW - 60_000)],
        '',
      ],
    ])('%s', (_sentence, pods, moves) => {
      expect(told(ask(pods))).toBe(moves.trim());
    });

    it('the budget holds with stuck pods below', () => {
      const pods = [zero, flapping(1, 60_000), flapping(2, 60_000), three];
      expect(told(ask(pods, 1))).toBe('');
      expect(told(ask(pods, 2))).toBe('-3');
    });

    it('it is looked at again when a pod that is waited for has had its time', () => {
      expect(ask([zero, flapping(1, 4_000), two, three, four]).lookAgainAtMs).toBe(NOW + 6_000);
      expect(ask([zero, starting(1, 4_000), two, three, four]).lookAgainAtMs).toBe(NOW + 6_000);
      expect(ask([zero, terminating(one), two, three, four]).lookAgainAtMs).toBe(NOW + 30_000);
    });
  });

  it('a surplus pod in service goes only where the budget allows it', () => {
    const spec = { replicas: 2, ...PARALLEL, ...updating({ maxUnavailable: 1 }) };
    expect(told(setPlan({ ...STABLE, spec, pods: setPods('UUu') }))).toBe('');
    expect(told(setPlan({ ...STABLE, spec, pods: setPods('uUu') }))).toBe('-2');
  });

  it('a pod that is marked for scale-in and wanted again gets its mark taken off', () => {
    const mark = JSON.stringify({ kind: 'scale-in', attempt: '9', hookRun: 'run' });
    const marked = aSetPod(1, 'r2').annotated({ 'holdfast.dev/move': mark }).build();
    expect(told(setPlan({ ...STABLE, spec: { replicas: 2 }, pods: [aSetPod(0, 'r2').build(), marked] }))).toBe(
      'unmark 1',
    );
  });
});
