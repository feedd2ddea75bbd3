/** Stories of pods whose hook follows their updates in place: how it comes to a debt, a question and a failure. */
import type { AuditStory } from './audit-story.ts';
import { five } from './judged-stories.ts';

export const AFTER_UPDATE = 'post-inplace-step';
const STEPS = { canary: { steps: [{ partition: 4 }, { partition: 2 }, { partition: 0 }] } };
export const STRATEGY = { type: 'InplaceUpdate' as const, maxUnavailable: 5, ...STEPS };
export const HOOK = { hook: { templateName: 'join' } };
export const TOLD = { updateRevision: 'r2', currentRevision: 'r1', currentStepIndex: 2 };

/** Five pods of r1, whose hook is asked after their update to r2. */
export const hooked = (more: object = {}): AuditStory =>
  five({ updateStrategy: STRATEGY, postInplaceUpdateStrategy: HOOK, ...more })
    .writeStatus(TOLD)
    .pass(60_000);

/** The pod is at r2, and its containers have restarted; `attempt` is that of the hook it owes. */
export function updated(story: AuditStory, name: string): { story: AuditStory; attempt: string } {
  const attempt = story.closeGate(name, 'r2').versionOf(name);
  story.update(name, 'r2').report(name, true, `${name}-2`).setGate(name, 'True').report(name, true, `${name}-2`);
  return { story, attempt };
}

/** Its hook was asked, too. */
export function asked(story: AuditStory, name: string, phase?: string): { story: AuditStory; attempt: string } {
  const { attempt } = updated(story, name);
  story.askHook(name, { type: AFTER_UPDATE, attempt });
  if (phase !== undefined) story.finishHook(name, { type: AFTER_UPDATE, attempt, phase });
  return { story, attempt };
}

export const failed = (story = hooked()) => asked(story, 'a', 'Failed');
/** Half a minute after a failure another pod begins to be updated. */
export const goOn = (story: AuditStory) => story.pass(30_000).closeGate('b', 'r2');
