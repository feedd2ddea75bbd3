/** Hooks of pods and of canary steps, as a web server far away would answer them: some seconds later, as the story says. */
import { REVISIONS } from '../../core/model/world.ts';
import { gateRunOf } from '../../core/plan/gate-runs.ts';
import type { Mark } from '../../core/plan/types.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { iso } from '../support/pods.ts';
import type { RolloutStory } from '../support/rollout-story.ts';
import type { Story } from './story.ts';

const TAKES_MS = 3_000;
const TEMPLATE = 'drain';

export const DRAIN = { hook: { templateName: TEMPLATE } };

export class HookDesk {
  readonly templates: Record<string, HookTemplate> = {
    [TEMPLATE]: { metadata: { name: TEMPLATE }, spec: { metrics: [] } } as unknown as HookTemplate,
  };
  runs: HookRun[] = [];
  readonly #story: Story;
  /** When the run of a step's hook was first seen. */
  readonly #stepRuns = new Map<string, number>();

  constructor(story: Story) {
    this.#story = story;
  }

  /** A run that is there is found, not made again. */
  ask(pod: Pod, mark: Mark, { workload, nowMs }: { workload: GameWorkload; nowMs: number }): void {
    if (this.runs.some(({ metadata }) => metadata.name === mark.hookRun)) return;
    const built = gateRunOf(pod, mark, { workload, revisions: REVISIONS, template: this.templates[TEMPLATE]! });
    if (built === undefined || 'unresolved' in built) return;
    const { metadata, ...rest } = built.hookRun;
    const made = { ...metadata, creationTimestamp: iso(nowMs) };
    this.runs.push({ ...rest, metadata: made, status: { phase: 'Running' } });
  }

  /** Runs whose time is over get their verdict. */
  pass(nowMs: number, rollout: RolloutStory | undefined): void {
    this.runs = this.runs.map((run, index) => this.#judged(run, index + 1, nowMs));
    const hook = rollout?.state.hook;
    if (hook?.status !== 'running' || hook.hookRun === undefined) return;
    const sinceMs = this.#stepRuns.get(hook.hookRun) ?? nowMs;
    this.#stepRuns.set(hook.hookRun, sinceMs);
    if (sinceMs + TAKES_MS <= nowMs) rollout?.hookEnds(this.#story.stepHook?.(hook.attempt) ?? 'Successful');
  }

  #judged(run: HookRun, number: number, nowMs: number): HookRun {
    const { metadata, status } = run;
    const isOver = Date.parse(metadata.creationTimestamp ?? '') + TAKES_MS <= nowMs;
    if (status?.phase !== 'Running' || !isOver) return run;
    const phase = this.#story.gate?.(number) ?? 'Successful';
    return { ...run, status: { ...status, phase, finishedAt: iso(nowMs) } } as HookRun;
  }
}
