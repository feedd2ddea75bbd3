/** How a person ends a pause, in words that can be pasted (decision 7). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { holdfastCommand, inTemporalNamespace, type SignalOptions, signalText } from '../command-text.ts';
import { RESUME_ANNOTATION } from '../keys.ts';
import type { RolloutView } from '../rollout/types.ts';
import { either } from './sentence.ts';

interface Pausable {
  kind: string;
  metadata: { namespace?: string; name: string };
}

const rolloutIdOf = ({ kind, metadata: { namespace, name } }: Pausable) =>
  `${kind.toLowerCase()}/${namespace ?? 'default'}/${name}/rollout`;

/** Value of the resume annotation that ends the pause at this step of this revision, once. */
export const resumeToken = (revision: string, step: number): string => `${revision}/${step}`;

/** The stock CLI's command that sends a verb to the rollout. */
export const signalCommand = (workload: Pausable, verb: string, options: SignalOptions = {}): string =>
  signalText(rolloutIdOf(workload), verb, options);

type Stand = Pick<RolloutView, 'stepIndex' | 'temporalNamespace'>;

/** All the ways that end this pause now. `paused: false` is among them only where it is `true` today. */
export function waysToResume(
  workload: GameWorkload,
  revision: string,
  { stepIndex: step, temporalNamespace }: Stand,
): string {
  const ways = [
    `\`${signalCommand(workload, 'resume', { step, temporalNamespace })}\``,
    `\`${holdfastCommand('resume', workload, ...inTemporalNamespace(temporalNamespace))}\``,
    `the annotation ${RESUME_ANNOTATION}: ${resumeToken(revision, step)}`,
  ];
  if (workload.spec.updateStrategy?.paused === true) ways.push('spec.updateStrategy.paused: false');
  return either(ways);
}
