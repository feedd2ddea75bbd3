/**
 * The activity `writePaused`: sets `spec.updateStrategy.paused` for a pause of the rollout, or takes it back (decision 9). It is the
 * one write of a spec, made only on workloads that ask for it, and decides nothing but whether the object still is as it must be.
 */
import { PAUSED_AT_ANNOTATION } from '../core/keys.ts';
import { sentence } from '../core/status/sentence.ts';
import type { PauseWrite } from '../core/workload/spec-pause.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import { FIELD_MANAGER } from '../kubernetes/client.ts';
import { type ApiError, isApiError } from '../kubernetes/errors.ts';
import { mergePatch, type PatchBody } from '../kubernetes/patches.ts';
import type { Attempt } from './attempt.ts';
import { ownersOf } from './field-owners.ts';
import { workloadTypeOf } from './kinds.ts';
import type { Ports } from './ports.ts';
import { readWorkload } from './sources.ts';
import type { WritePausedRequest, WritePausedResult } from './types.ts';

/** Rounds of reading and writing when others write the object at the same time; then Temporal tries again. */
const ROUNDS = 4;
const PAUSED_PATH = ['spec', 'updateStrategy', 'paused'] as const;

/**
 * Safe to repeat: what an attempt before has written is seen by the mark, and each write names the version that was read, so that
 * one that comes late changes nothing. Answers the mark that the object has then.
 * @throws ApiError when the API cannot be reached or the object changes all the time.
 */
export async function writePaused(
  ports: Ports,
  request: WritePausedRequest,
  { signal }: Attempt,
): Promise<WritePausedResult> {
  for (let round = 1; ; round += 1) {
    const workload = await readWorkload(ports, request.key);
    if (workload === undefined || !isLive(workload, request)) return { written: {} };
    const body = bodyOf(workload, request);
    if (body === null) return resultOf(workload);
    try {
      const type = workloadTypeOf(workload.kind);
      return resultOf(
        await ports.client.patch(type, workload.metadata, mergePatch(workload.metadata, body), { signal }),
      );
    } catch (error) {
      if (isRefusal(error)) return { written: {}, refused: refusalOf(workload, request.write, error) };
      if (!isApiError(error, 'conflict') || round === ROUNDS) throw error;
    }
  }
}

const isLive = ({ metadata }: GameWorkload, { uid }: WritePausedRequest): boolean =>
  metadata.uid === uid && metadata.deletionTimestamp === undefined;

/** null: nothing is to be written, because it is done or because the object is another than the one that was judged. */
function bodyOf(workload: GameWorkload, { write: { act, mark }, generation }: WritePausedRequest): PatchBody | null {
  const current = markOf(workload);
  const marked = (value: string | null) => ({ metadata: { annotations: { [PAUSED_AT_ANNOTATION]: value } } });
  const paused = (value: boolean) => ({ spec: { updateStrategy: { paused: value } } });
  const isAsSeen = workload.metadata.generation === generation;
  if (act === 'set') return isAsSeen && current !== mark ? { ...marked(mark), ...paused(true) } : null;
  if (current !== mark) return null;
  if (act === 'forget') return marked(null);
  if (!isAsSeen) return null;
  return isSetByOthers(workload) ? marked(null) : { ...marked(null), ...paused(false) };
}

/**
 * The user has lifted the pause and paused himself, between two looks: nothing in field and mark tells his `true` from ours, but
 * whoever changed the value last owns it. Without the mark it is his.
 */
function isSetByOthers(workload: GameWorkload): boolean {
  const owners = ownersOf(workload, PAUSED_PATH);
  return owners.length > 0 && !owners.includes(FIELD_MANAGER);
}

const markOf = ({ metadata }: GameWorkload): string | undefined => metadata.annotations?.[PAUSED_AT_ANNOTATION];

function resultOf(workload: GameWorkload): WritePausedResult {
  const { plural } = workloadTypeOf(workload.kind);
  const pausedAt = markOf(workload);
  const written = { [plural]: workload.metadata.resourceVersion ?? '0' };
  return pausedAt === undefined ? { written } : { pausedAt, written };
}

/** The API's final word, as far as we can tell; anything else may be over in a moment. */
const isRefusal = (error: unknown): error is ApiError => isApiError(error, 'forbidden', 'invalid', 'badRequest');

function refusalOf({ kind }: GameWorkload, { act }: PauseWrite, error: ApiError): string {
  const what = act === 'set' ? 'set to true' : 'taken back';
  const field = `spec.updateStrategy.paused could not be ${what}`;
  if (error.reason !== 'forbidden') return sentence(`${field}: ${error.message}`);
  const { plural } = workloadTypeOf(kind);
  const hint = `the annotation holdfast.dev/write-paused works only where the controller may patch ${plural}, as after \`holdfast install --write-paused\``;
  return sentence(`${field}, because ${hint} (${error.message.slice(0, 200)})`);
}
