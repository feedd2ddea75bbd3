/**
 * What people hear of a wave, as events of the workload, under the names that the existing operators gave such events (game-workloads
 * §4). Pure.
 */
import type { Act, Move, Unresolved } from '../plan/types.ts';
import type { EventNote } from './state.ts';

const NAMES_IN_EVENT = 5;

/** What came of some of its moves. */
interface WaveResult {
  done: number;
  unresolved: Unresolved[];
  /** One sentence of the first refusal. */
  refusal?: string;
}

interface Told {
  is: (move: Move) => boolean;
  reason: string;
  /** Before the names of the pods, and after them. */
  verb: string;
  after?: string;
}

const isAct =
  (act: Act) =>
  (move: Move): boolean =>
    move.act === act;
const isDelete = (move: Move, cause?: 'update' | 'failed'): boolean =>
  move.act === 'delete' && move.force !== true && move.cause === cause;
const isHot = (move: Move): boolean => 'isHot' in move && move.isHot === true;
const asksAfterUpdate = (move: Move): boolean => move.act === 'mark' && move.mark.kind === 'updated';

const TOLD: readonly Told[] = [
  {
    is: (move) => move.act === 'create' && move.claims !== undefined,
    reason: 'SuccessfulCreate',
    verb: 'Made the missing claims of',
  },
  { is: isAct('create'), reason: 'SuccessfulCreate', verb: 'Created' },
  { is: (move) => isDelete(move), reason: 'SuccessfulDelete', verb: 'Deleted' },
  {
    is: (move) => isDelete(move, 'update'),
    reason: 'SuccessfulUpdatePodReCreate',
    verb: 'Deleted',
    after: ' for the update',
  },
  {
    is: (move) => isDelete(move, 'failed'),
    reason: 'RecreatingFailedPod',
    verb: 'Deleted',
    after: ', which will not run again',
  },
  // The blank is theirs.
  {
    is: (move) => move.act === 'delete' && move.force === true,
    reason: 'SuccessfulForce Delete',
    verb: 'Deleted by force',
  },
  { is: isAct('adopt'), reason: 'SuccessfulAdopt', verb: 'Adopted' },
  { is: isAct('release'), reason: 'SuccessfulRelease', verb: 'Let go of' },
  { is: isAct('close-gate'), reason: 'UpdatingPodInPlace', verb: 'Began to update in place' },
  { is: isHot, reason: 'SuccessfulUpdatePodHotPatch', verb: 'Gave new images by hot patch to' },
  { is: isAct('patch-metadata'), reason: 'SuccessfulUpdatePodInPlace', verb: 'Changed labels and annotations of' },
  { is: isAct('open-gate'), reason: 'SuccessfulUpdatePodInPlace', verb: 'Took back into service' },
  { is: (move) => isAct('mark')(move) && !asksAfterUpdate(move), reason: 'HookAsked', verb: 'Asked the hook of' },
  { is: asksAfterUpdate, reason: 'SuccessfulCreatePostHookRun', verb: 'Asked the hook after the update of' },
];

/** One event per kind of move and wave, with the first few names (a pod more is a number, not a line), and one of what was refused. */
export function waveEvents(moves: Move[], results: WaveResult[]): EventNote[] {
  const refused = results.flatMap((result) => refusalOf(moves, result)).slice(0, 1);
  if (!results.some(({ done }) => done > 0)) return refused;
  const open = new Set(results.flatMap(({ unresolved }) => unresolved.map(keyOf)));
  const settled = moves.filter((move) => !open.has(keyOf(move)));
  return [...TOLD.flatMap((told) => noteOf(told, settled)), ...refused];
}

const keyOf = ({ act, pod }: Pick<Unresolved, 'act' | 'pod'>): string => `${act}/${pod}`;

function noteOf({ is, reason, verb, after = '' }: Told, moves: Move[]): EventNote[] {
  const names = moves.filter(is).map(({ pod }) => pod);
  if (names.length === 0) return [];
  const rest = names.length > NAMES_IN_EVENT ? ` and ${names.length - NAMES_IN_EVENT} more` : '';
  const pods = names.length === 1 ? 'pod' : `${names.length} pods:`;
  const shown = names.slice(0, NAMES_IN_EVENT).join(', ');
  return [{ type: 'Normal', reason, message: `${verb} ${pods} ${shown}${rest}${after}` }];
}

function refusalOf(moves: Move[], { unresolved, refusal }: WaveResult): EventNote[] {
  if (refusal === undefined) return [];
  const item = unresolved.find(({ outcome }) => outcome === 'refused');
  const move = moves.find((each) => item !== undefined && keyOf(each) === keyOf(item));
  return [{ type: 'Warning', reason: move === undefined ? 'MoveRefused' : reasonOf(move), message: refusal }];
}

function reasonOf(move: Move): string {
  switch (move.act) {
    case 'create':
      return 'FailedCreate';
    case 'delete':
      return move.cause === 'update' ? 'FailedUpdatePodReCreate' : 'FailedDelete';
    case 'patch-images':
      return isHot(move) ? 'FailedUpdatePodHotPatch' : 'FailedUpdatePodInPlace';
    case 'close-gate':
    case 'patch-metadata':
    case 'open-gate':
      return 'FailedUpdatePodInPlace';
    case 'mark':
      return asksAfterUpdate(move) ? 'FailedCreatePostHookRun' : 'MoveRefused';
    case 'unmark':
    case 'end-hook':
    case 'fence':
    case 'adopt':
    case 'release':
      return 'MoveRefused';
  }
}
