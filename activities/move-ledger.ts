/** Adds up the outcomes of one move attempt into the one result that crosses to the workflow. */
import type { Act, Move, Unresolved } from '../core/plan/types.ts';
import { unresolvedItem } from '../core/plan/unresolved.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { Outcome } from './outcome.ts';
import { laterVersion } from './store-fence.ts';
import type { MoveResult } from './types.ts';

/** A refusal travels in a condition and an event: one sentence. */
const MAX_REFUSAL = 600;

export class MoveLedger {
  readonly #written: Record<string, string> = {};
  readonly #gone = new Set<string>();
  readonly #unresolved: Unresolved[] = [];
  #done = 0;
  #moved = 0;
  #refusal: string | undefined;
  readonly #maySentBefore: (item: Move) => boolean;
  #needsQuorum: boolean;

  /** A retried attempt does not know what the ones before it wrote; `maySentBefore` tells which items were sent already. */
  constructor(isRetry: boolean, maySentBefore: (item: Move) => boolean) {
    this.#maySentBefore = maySentBefore;
    this.#needsQuorum = isRetry;
  }

  /** A version that the stores must have reached before the next plan. */
  saw(plural: string, object: KubernetesObject | undefined): void {
    const version = object?.metadata.resourceVersion;
    if (version !== undefined) this.#written[plural] = laterVersion(this.#written[plural], version);
  }

  /** Items that are not wanted any more, and that nobody's earlier write can bring about. */
  drop(items: Move[]): void {
    this.#moved += items.length;
  }

  /** The end of one item. An image patch that follows a closed gate ends as itself, not as the item it belongs to. */
  add(item: Move, outcome: Outcome): void {
    switch (outcome.result) {
      case 'done':
        this.#done += 1;
        this.saw('pods', outcome.pod);
        if (item.act === 'delete') this.#gone.add(item.uid);
        return;
      case 'gone':
        if ('uid' in item) this.#gone.add(item.uid);
        if (item.act === 'delete') this.#done += 1;
        else this.#moved += 1;
        return;
      case 'moved':
        // Not sent by this attempt, but perhaps by one before it: it may still land.
        if (this.#maySentBefore(item) && outcome.pod === undefined) {
          this.add(item, { result: 'unknown' });
          return;
        }
        this.#moved += 1;
        this.saw('pods', outcome.pod);
        if (item.act === 'create') this.#needsQuorum = true;
        return;
      case 'taken':
        this.#moved += 1;
        this.#needsQuorum = true;
        return;
      case 'refused':
        this.#refusal ??= describeRefusal(item, outcome.message);
        this.#unresolved.push({ ...unresolvedItem(item, 'refused'), message: describeRefusal(item, outcome.message) });
        return;
      case 'unknown':
        this.#needsQuorum = true;
        this.#unresolved.push(unresolvedItem(item, 'unknown'));
        return;
    }
  }

  result(): MoveResult {
    return {
      done: this.#done,
      moved: this.#moved,
      unresolved: this.#unresolved,
      written: this.#written,
      gone: [...this.#gone],
      quorum: this.#needsQuorum,
      refusal: this.#refusal,
    };
  }
}

const WHAT: Readonly<Record<Act, string>> = {
  create: 'Creating',
  delete: 'Deleting',
  'close-gate': 'Closing the gate of',
  'patch-images': 'Changing the images of',
  'patch-metadata': 'Changing the metadata of',
  'open-gate': 'Opening the gate of',
  mark: 'Marking',
  unmark: 'Unmarking',
  fence: 'Fencing',
  'end-hook': 'Ending the hook of',
  adopt: 'Adopting',
  release: 'Letting go of',
};

function describeRefusal(item: Move, message: string): string {
  const text = `${WHAT[item.act]} pod ${item.pod} was refused: ${message}`;
  return text.length > MAX_REFUSAL ? `${text.slice(0, MAX_REFUSAL - 1)}…` : text;
}
