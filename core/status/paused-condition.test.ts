/** What a paused rollout tells the person who is to let it go on. */
import { describe, expect, it } from 'vitest';
import { DUE, makeConditions, makeInput, NOW_MS, paused } from './fixtures.ts';
import type { StatusInput } from './outlook.ts';

const messageOf = (input: StatusInput) => makeConditions(input).find(({ type }) => type === 'Paused')?.message;

describe('the Paused condition', () => {
  it('prints the command, the value of the annotation, and only the ways that are left', () => {
    const message = messageOf(makeInput(DUE, { view: paused('PausedByCanaryPauseStep') }));
    expect(message).toBe(
      'Step 1 of 6 is paused since 2026-11-30T05:59:00Z and waits for a person; resume with ' +
        '`temporal workflow signal -w gamedeployment/games/lobby/rollout --name resume --input \'{"step":1}\'`, ' +
        '`holdfast resume gamedeployment/lobby -n games` or the annotation holdfast.dev/resume: lobby-new/1.',
    );
  });

  it('names the Temporal namespace in each command, where the rollout says one', () => {
    const view = { ...paused('PausedByCanaryPauseStep'), temporalNamespace: 'staging' };
    const message = messageOf(makeInput(DUE, { view }));
    expect(message).toContain(
      '`temporal workflow signal -w gamedeployment/games/lobby/rollout --namespace staging --name',
    );
    expect(message).toContain('`holdfast resume gamedeployment/lobby -n games --temporal-namespace staging`');
  });

  it('names paused: false where paused is true', () => {
    const input = makeInput(
      { ...DUE, spec: { updateStrategy: { paused: true } } },
      { view: paused('PausedByCanaryPauseStep') },
    );
    expect(messageOf(input)).toContain('or spec.updateStrategy.paused: false.');
  });

  it('says why the spec does not show the pause, though the annotation asks for it', () => {
    const pauseTrouble = 'It could not be set.';
    const input = makeInput(DUE, { view: paused('PausedByCanaryPauseStep'), pauseTrouble });
    expect(messageOf(input)).toMatch(/lobby-new\/1\. It could not be set\.$/);
    expect(messageOf(makeInput({}, { pauseTrouble }))).toBe('Nothing is paused.');
  });

  it('says when a timed pause ends by itself', () => {
    const input = makeInput(DUE, { view: paused('PausedByCanaryPauseStep', NOW_MS + 60_000) });
    expect(messageOf(input)).toContain('until 2026-11-30T06:01:00Z');
  });

  it('says why a hook failed and how to run it again', () => {
    const view = { ...paused('PausedByStepBasedHook'), message: 'Step 1 is paused because 32 is not above 40.' };
    const message = messageOf(makeInput(DUE, { view }));
    expect(message).toMatch(
      /^Step 1 is paused because 32 is not above 40; run the hook again with `.* --name retry --input '\{"step":1\}'`, or pass it with/,
    );
    const elsewhere = messageOf(makeInput(DUE, { view: { ...view, temporalNamespace: 'staging' } }));
    expect(elsewhere).toMatch(/run the hook again with `[^`]*\/rollout --namespace staging --name retry /);
  });

  it('says who paused it by a message', () => {
    const view = { ...paused('PausedByUser'), message: 'Paused by ada while at step 1' };
    expect(messageOf(makeInput(DUE, { view }))).toMatch(/^Paused by ada while at step 1; resume with `temporal/);
  });

  it('offers no resume for what the spec pauses: only the spec ends it (decision 8)', () => {
    const input = makeInput({ ...DUE, spec: { updateStrategy: { paused: true } } }, { view: paused('PausedByUser') });
    expect(messageOf(input)).toBe(
      'Updates are paused since 2026-11-30T05:59:00Z by spec.updateStrategy.paused: true; scaling and healing go on until it is set to false.',
    );
  });
});
