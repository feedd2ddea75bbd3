/** How a workload begins anew without its state, and how it ends. */
import { describe, expect, it } from 'vitest';
import {
  ActivityFailure,
  allowance,
  carried,
  close,
  KEY,
  names,
  play,
  ring,
  seen,
  stage,
  told,
  workload,
} from '../../test/support/workload-stage.ts';

describe('a workload that lost its state', () => {
  const recovered = { stepIndex: 2, paused: true, aborted: false, partial: true };

  it('lets the moves of the run before end, asks about the template, and only then moves pods', async () => {
    const lost = seen({ recovered, moves: [close] });
    await play([lost, (request) => ({ ...lost, isQuiet: request.quorum }), lost]);
    const story = names().filter((name) => ['sleep', 'recordRevision', 'startRollout'].includes(name));
    expect(story).toEqual(['sleep', 'recordRevision', 'startRollout']);
    expect(told('startRollout')).toMatchObject([{ number: 1, resumeAt: recovered }]);
  });

  it('a rollout that was never heard to its end is followed by the next number', async () => {
    stage.activities.startRollout = ({ number }: { number: number }) => {
      return number === 1 ? { number: 4, restarted: false, isOver: true } : { number, restarted: false, isOver: false };
    };
    await play([seen()], carried({ rollout: null }));
    expect(told('startRollout')).toMatchObject([{ number: 1 }, { number: 5 }]);
  });
});

describe('a resync that finds the rollout ended while its last word waits for the end of this very task', () => {
  const lastWord = {
    ...{ uid: 'u', number: 1, sequence: 6 },
    allowance: allowance(),
    view: { phase: 'Completed', message: '' },
  };

  it('hears that word first, by the server: nothing is started in its place', async () => {
    stage.activities['beside startRollout'] = () => Promise.reject(new ActivityFailure());
    stage.activities.startRollout = () => {
      stage.handlers.get('allow')?.(lastWord);
      return { number: 1, restarted: false, isOver: true };
    };
    await play([seen()], carried({ isResync: true }));
    expect(told('startRollout').map((request) => (request as { number: number }).number)).toEqual([1, 1]);
  });
});

describe('the end', () => {
  it('pods are let go of', async () => {
    await play([seen({ gone: true })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods']);
  });

  it.each([
    [true, ['releasePods']],
    [false, []],
  ])(
    'a run that never knew the object lets go of pods where it was started for them: %s',
    async (isLeftBehind, want) => {
      stage.activities.observe = async () => seen({ gone: true, uid: '' });
      await workload({ key: KEY, ...(isLeftBehind ? { isLeftBehind } : {}) });
      expect(names()).toEqual(want);
    },
  );

  it('a bell that rings meanwhile is that of the next object: it is not lost', async () => {
    stage.activities.releasePods = ring('added');
    await play([seen({ gone: true })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods', 'continue as new']);
  });

  it('another object under the name is served after the pods of the one before were let go of', async () => {
    stage.activities.releasePods = () => Promise.reject(new ActivityFailure());
    await play([seen({ uid: 'another' })], carried());
    expect(names()).toEqual(['signal supersede', 'releasePods', 'continue as new']);
    expect(told('continue as new')).toEqual([{ key: KEY }]);
  });
});
