/** The current details of a workload: what a person sees first in the Temporal UI. */
import type { Observation, WorkloadKey } from '../../activities/types.ts';
import { dated, sinceWhen } from '../../core/status/since.ts';
import type { WorkloadState } from '../../core/workload/state.ts';

const pods = (counts: Observation['counts']): string =>
  Object.entries(counts.perRevision)
    .map(([revision, count]) => `| ${revision} | ${count} |`)
    .join('\n');

/** Markdown: counts per revision, what blocks, what was heard last. */
export function detailsOf(key: WorkloadKey, state: WorkloadState, observation: Observation): string {
  const { counts, blockers, asOfMs } = observation;
  const lines = [
    `**${key.kind} ${key.namespace}/${key.name}**: ${counts.available} of ${counts.replicas} pods available`,
    `| revision | pods |\n|---|---|\n${pods(counts)}`,
    ...(state.rollout?.view == null ? [] : [state.rollout.view.message]),
    ...blockers.map((blocker) => `- ${sinceWhen(dated(blocker, state.told.since ?? {}, asOfMs))}`),
    ...state.notices.map((text) => `- ${text}`),
  ];
  return lines.join('\n\n');
}
