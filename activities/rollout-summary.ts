/** The activity `closeRollout`: how a rollout went, on its ControllerRevision, where it outlives Temporal's retention. */
import { ROLLOUT_SUMMARY_ANNOTATION } from '../core/keys.ts';
import { isControlledBy } from '../core/ownership.ts';
import { summaryText } from '../core/status/rollout-summary.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { mergePatch } from '../kubernetes/patches.ts';
import { controllerRevisions } from '../kubernetes/resource-types.ts';
import type { Attempt } from './attempt.ts';
import type { Ports } from './ports.ts';
import type { CloseRolloutRequest } from './rollout-types.ts';

/** A revision that is gone, or became another object's, keeps no summary. @throws ApiError to be tried again. */
export async function closeRollout(
  { client }: Pick<Ports, 'client'>,
  { key, uid, result }: CloseRolloutRequest,
  { signal }: Attempt,
): Promise<void> {
  const ref = { namespace: key.namespace, name: result.toRevision };
  try {
    const revision = await client.get(controllerRevisions, ref, { signal });
    if (!isControlledBy(revision, uid)) return;
    const annotations = { [ROLLOUT_SUMMARY_ANNOTATION]: summaryText(result) };
    // An attempt before this one may have written it and lost the answer.
    if (revision.metadata.annotations?.[ROLLOUT_SUMMARY_ANNOTATION] === summaryText(result)) return;
    const patch = mergePatch({ uid: revision.metadata.uid }, { metadata: { annotations } });
    await client.patch(controllerRevisions, ref, patch, { signal });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
