/** A story as text: one line a moment, with what was moved and why, and how many pods there were at that moment. */
import { EPOCH_MS } from '../../core/model/api.ts';
import type { Blocker, Move, Plan } from '../../core/plan/types.ts';
import type { Actor } from './actor.ts';
import { endingOf } from './ending.ts';

/** Blockers that every restart brings are left to the end of a wait. */
const COMMON: ReadonlySet<string> = new Set(['PodsNotReady', 'GateWaiting']);

const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;
const GENERATED = /lobby-(?:old\d+|[a-z0-9]{5})\b/g;

/** What a person reads of a move. */
function actOf(move: Move): string {
  switch (move.act) {
    case 'create':
      return 'create';
    case 'delete':
      return move.force ? 'delete by force' : 'delete';
    case 'close-gate':
      return move.thenPatch ? 'close gate, new images' : 'close gate';
    case 'patch-images':
      return move.isHot ? 'hot patch' : 'new images';
    case 'patch-metadata':
      return 'new metadata';
    case 'open-gate':
      return 'open gate';
    case 'mark':
      return move.mark.kind === 'updated' ? 'ask hook after update' : `ask hook for ${move.mark.kind}`;
    case 'unmark':
      return 'take mark off';
    case 'end-hook':
      return 'end hook';
    case 'fence':
      return 'fence off';
    case 'adopt':
      return 'adopt';
    case 'release':
      return 'let go';
  }
}

/** A new pod with what it is given. */
function nameOf(move: Move): string {
  if (move.act !== 'create') return move.pod;
  const index = move.index === undefined ? '' : `#${move.index}`;
  const claims = move.claims === undefined ? '' : ` with ${move.claims.join(', ')}`;
  return `${move.pod}@${move.revision}${index}${claims}`;
}

export class Trace {
  readonly #lines: string[] = [];
  readonly #actor: Actor;
  /** Random names, by the order in which they appear. */
  readonly #aliases = new Map<string, string>();
  #blockers = '';
  #rollout = '';

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  title(): void {
    const { title, kind, spec, annotations } = this.#actor.story;
    for (const { metadata } of this.#actor.active()) this.#aliasOf(metadata.name);
    this.#lines.push(
      `# ${title}`,
      `${kind} ${JSON.stringify({ ...spec, ...(annotations ? { annotations } : {}) })}`,
      '',
    );
    this.#line('given', this.#counts(this.#actor.truth()));
  }

  say(who: string, text: string): void {
    this.#line(who, text);
  }

  /** What one look saw, and the moves that were made on it. */
  moment(plan: Plan): void {
    this.#followRollout();
    if (plan.moves.length > 0) this.#line(this.#counts(plan), this.#movesOf(plan.moves));
    const rare = plan.blockers.filter(({ reason }) => !COMMON.has(reason));
    const text = rare.map(({ reason, message }) => `${reason}: ${message}`).join(' ');
    if (text !== this.#blockers && text !== '') this.#line('because', text);
    this.#blockers = text;
  }

  /** The end of a wait: how things stand, and why. */
  rest(text: string): void {
    this.#followRollout();
    const plan = this.#actor.truth();
    const why = plan.blockers.find(({ reason }: Blocker) => COMMON.has(reason));
    this.#line(this.#counts(plan), `${text}${why === undefined ? '' : ` (${why.message})`}`);
  }

  end(): string {
    this.#lines.push('', ...endingOf(this.#actor).map((line) => this.#named(line)));
    return `${this.#lines.join('\n')}\n`;
  }

  #counts({ counts: { available, perRevision }, resolved }: Plan): string {
    const shares = Object.entries(perRevision).sort(([a], [b]) => (a < b ? -1 : 1));
    const going = [...this.#actor.api.pods.values()].filter(({ metadata }) => metadata.deletionTimestamp).length;
    const revisions = shares.map(([revision, count]) => `${revision}:${count}`);
    const all = [`${available}/${resolved.replicas}`, ...revisions, ...(going > 0 ? [`going:${going}`] : [])];
    return all.join(' ');
  }

  /** Moves with the same reason stand together. */
  #movesOf(moves: Move[]): string {
    const groups = new Map<string, { act: string; pods: string[]; reason: string }>();
    for (const move of moves) {
      const act = actOf(move);
      const group = groups.get(`${act}/${move.reason}`) ?? { act, pods: [], reason: move.reason };
      groups.set(`${act}/${move.reason}`, group);
      group.pods.push(nameOf(move));
    }
    return [...groups.values()].map(({ act, pods, reason }) => `${act} ${pods.join(', ')} (${reason})`).join('; ');
  }

  #followRollout(): void {
    const { rollout } = this.#actor.desk.state;
    const view = rollout?.view;
    if (rollout === null || view == null) return;
    const pause = view.pause === undefined ? '' : ` (${view.pause.reason})`;
    const way = rollout.rolledBack
      ? `back to ${rollout.toRevision}`
      : `${rollout.fromRevision} → ${rollout.toRevision}`;
    const text = `${way}: ${view.phase} at step ${view.stepIndex} of ${view.stepCount}${pause}`;
    if (text !== this.#rollout) this.#line('rollout', text);
    this.#rollout = text;
  }

  #line(left: string, text: string): void {
    const time = `${this.#actor.seconds} s`.padStart(6);
    this.#lines.push(`${time}  ${left.padEnd(22)} ${this.#named(text)}`.trimEnd());
  }

  /** Names of pods and times as a reader can follow them. */
  #named(text: string): string {
    const timed = text.replace(STAMP, (stamp) => `${(Date.parse(stamp) - EPOCH_MS) / 1000} s`);
    return this.#actor.kind === 'GameStatefulSet' ? timed : timed.replace(GENERATED, (name) => this.#aliasOf(name));
  }

  #aliasOf(name: string): string {
    const alias = this.#aliases.get(name) ?? `p${this.#aliases.size + 1}`;
    this.#aliases.set(name, alias);
    return alias;
  }
}
