/** A HookRun whose attempt was lost before, and what people and other workers do to one while it is measured. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookRunStatus } from '../../crds/hook-run.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MeasuringScene } from './measuring-scene.ts';

let scene: MeasuringScene;

beforeEach(async () => {
  scene = await MeasuringScene.open();
});
afterEach(() => scene.close());

describe('taking up again', () => {
  const startedAt = '2026-01-01T00:00:00.000Z';
  const failedTwice: HookRunStatus = {
    phase: 'Running',
    startedAt,
    metricResults: [
      {
        name: 'm',
        phase: 'Running',
        count: 2,
        failed: 2,
        measurements: [{ phase: 'Failed', startedAt, finishedAt: startedAt }],
      },
    ],
  };
  const counted = { interval: '100ms', count: 3, failureLimit: 2 };

  it('39: goes on from the object', async () => {
    scene.answers = ['12'];
    scene.given([counted], { status: failedTwice });
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(scene.asked).toBe(1);
  });

  it('39: goes on from the last heartbeat where that is further', async () => {
    scene.answers = ['12'];
    scene.given([counted], { status: { phase: 'Running', startedAt } });
    scene.told = failedTwice;
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Failed' } });
    expect(scene.asked).toBe(1);
  });

  it('a verdict that was told and not written is written, not measured again', async () => {
    scene.given([{}], { status: { phase: 'Running', startedAt } });
    scene.told = {
      phase: 'Successful',
      startedAt,
      metricResults: [{ name: 'm', phase: 'Successful', count: 1, successful: 1 }],
    };
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Successful' } });
    expect([scene.asked, scene.api.run?.status?.phase]).toEqual([0, 'Successful']);
  });

  it('a run that has its verdict is left alone', async () => {
    scene.given([{}], { status: { phase: 'Failed', message: 'metric m failed' } });
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Failed', message: 'metric m failed' } });
    expect([scene.asked, scene.api.writes.length, scene.notes.length]).toEqual([0, 0, 0]);
  });

  it('a status that somebody carried further meanwhile is adopted, never overwritten', async () => {
    scene.answers = ['45'];
    scene.given([{}]);
    scene.api.before = (write) => {
      if (write !== 2 || scene.api.run?.status?.phase === 'Failed') return;
      scene.api.change((run) => {
        run.status = { phase: 'Failed', startedAt, message: 'by another worker' };
      });
    };
    expect(await scene.measure()).toMatchObject({ outcome: { phase: 'Failed', message: 'by another worker' } });
    expect([scene.phases(), scene.notes.length]).toEqual([['Running'], 0]);
  });
});

describe('what people do to a run meanwhile', () => {
  it('terminate, found by the conflict of the next write', async () => {
    scene.answers = ['12'];
    scene.hurry();
    scene.given([{ interval: '100ms', successfulLimit: 1 }]);
    scene.api.before = (write) => {
      if (write === 3 && scene.api.run?.spec.terminate === undefined) {
        scene.api.change((run) => {
          run.spec.terminate = true;
        });
      }
    };
    expect(await scene.measure()).toMatchObject({
      outcome: { phase: 'Terminated', message: 'metric m stopped by spec.terminate' },
    });
  });

  it('deleted before and while it is measured', async () => {
    expect(await scene.measure()).toEqual({ state: 'ended', outcome: { phase: 'Gone' } });
    scene.given([{}]);
    scene.api.before = (write) => {
      if (write === 2) scene.api.run = undefined;
    };
    expect(await scene.measure()).toEqual({ state: 'ended', outcome: { phase: 'Gone' } });
  });

  it('another run under the same name is found and not touched', async () => {
    scene.given([{}]);
    expect(await scene.measure({ uid: 'u0' })).toEqual({ state: 'ended', outcome: { phase: 'Gone', liveUid: 'u1' } });
    expect(scene.api.writes).toEqual([]);
  });

  it('cancelled: the reason is thrown, what was measured is kept', async () => {
    scene.answers = ['12'];
    scene.given([{ interval: '5s', successfulLimit: 1 }]);
    const measuring = scene.measure();
    await eventually('a measurement was told', () => scene.told?.metricResults?.[0]?.count === 1);
    scene.cancelling.abort(new Error('cancelled'));
    await expect(measuring).rejects.toThrow('cancelled');
    expect(scene.api.run?.status?.metricResults?.[0]?.count).toBe(1);
  });
});
