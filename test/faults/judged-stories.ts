/** Stories to be judged: how a rollout of five pods begins, and a table of what becomes of it. */
import { expect, test } from 'vitest';
import { AuditStory } from './audit-story.ts';
import { type JudgeOptions, judge } from './checker.ts';

export const FIVE = ['a', 'b', 'c', 'd', 'e'] as const;

/** Five ready pods of revision r1 under the given strategy, older than every grace. */
export function five(spec: Parameters<AuditStory['writeSpec']>[0] = {}): AuditStory {
  const story = new AuditStory().writeSpec({ replicas: 5, updateStrategy: { maxUnavailable: 1 }, ...spec });
  return story.createReady(FIVE).pass(60_000);
}

/** The broken promises, each with its pod, in order. */
export function broken(story: AuditStory, options?: JudgeOptions): string[] {
  return judge(story.events, options).violations.map(({ promise, pod }) => `${promise} ${pod}`);
}

interface Row {
  name: string;
  story: () => AuditStory;
  want: string[];
}

/** One test a row: a story, and the broken promises that the checker must find in it. */
export function table(rows: readonly Row[]): void {
  test.each(rows)('$name', ({ story, want }) => {
    expect(broken(story())).toEqual(want);
  });
}

/** The strategy of a canary with pauses. */
export const STEPS = {
  canary: { steps: [{ partition: 3 }, { pause: {} }, { partition: '25%' }, { pause: { duration: 5 } }] },
};

/** Five pods of r1, the stable revision, and a rollout to r2 at a step. */
export function canary(stepIndex: number): AuditStory {
  const strategy = { type: 'InplaceUpdate' as const, maxUnavailable: 5, ...STEPS };
  const told = { updateRevision: 'r2', currentRevision: 'r1', currentStepIndex: stepIndex };
  return five({ updateStrategy: strategy }).writeStatus(told).pass(60_000);
}

/** Brings pods to another revision in place, as the controller does. */
export function turn(story: AuditStory, names: readonly string[], revision = 'r2'): AuditStory {
  for (const name of names) story.setGate(name, 'False').setImage(name, 'game:2', revision);
  return story;
}
