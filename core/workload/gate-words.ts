/** What people say about hooks of pods: one word for all of them, or for a pod by its name. Pure. */
import { gateOfField } from '../plan/pod-hooks.ts';
import type { Blocker, GateDecisions, GateWord } from '../plan/types.ts';
import type { HumanMessage } from '../rollout/types.ts';
import { notice, type WorkloadState } from './state.ts';

export const GATE_VERBS = ['retry', 'skip', 'abort'] as const;
export type GateVerb = (typeof GATE_VERBS)[number];

/** The last ones stay: words are about what had happened by then, and are soon acted on. */
const PODS_KEPT = 100;

const MOMENTS: Record<GateVerb, keyof GateWord> = {
  retry: 'retriedAtMs',
  skip: 'skippedAtMs',
  abort: 'abortedAtMs',
};

const ANSWERS: Record<GateVerb, (whose: string) => string> = {
  retry: (whose) => `failed hooks of ${whose} are asked again`,
  skip: (whose) => `failed hooks of ${whose} are passed`,
  abort: (whose) => `hooks that run for ${whose} are ended, and count as failed until retry or skip`,
};

/** Why the word cannot be taken; undefined where it can. */
export function refuseGateWord({ rollout }: WorkloadState, verb: GateVerb, { pod }: HumanMessage): string | undefined {
  if (verb !== 'abort' || pod !== undefined || rollout?.isOpen !== true) return undefined;
  return 'A rollout is open: send abort to it (the same id with /rollout), or name the pod whose hook is to be ended';
}

const FAILED: ReadonlySet<string> = new Set<Blocker['reason']>(['GateFailed', 'PostInplaceHookFailed']);

/**
 * Why the word would do nothing; undefined where it does something. For those who wait for an answer: a rollout passes words on
 * that may come before the look at what failed.
 */
export function refuseIdleWord({ told }: WorkloadState, verb: GateVerb): string | undefined {
  if (verb === 'abort' || told.blockers.split(',').some((reason) => FAILED.has(reason))) return undefined;
  return `Nothing to ${verb}: no hook of a pod has failed, as of the last look at the pods`;
}

/** Remembers the word with its moment, and answers what it does. */
export function takeGateWord(state: WorkloadState, verb: GateVerb, message: HumanMessage, nowMs: number): string {
  const { by, reason, pod } = message;
  const word = { [MOMENTS[verb]]: nowMs };
  state.gates = pod === undefined ? { ...state.gates, ...word } : withPod(state.gates, pod, word);
  const who = `${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : ` (${reason})`}`;
  const answer = ANSWERS[verb](pod === undefined ? 'all pods' : `pod ${pod}`);
  notice(state, `${verb}${who}: ${answer}`);
  return answer;
}

function withPod(gates: GateDecisions, pod: string, word: GateWord): GateDecisions {
  const { [pod]: before, ...others } = gates.pods ?? {};
  const pods = [...Object.entries(others), [pod, { ...before, ...word }] as const].slice(-PODS_KEPT);
  return { ...gates, pods: Object.fromEntries(pods) };
}

/** A word that was said just now may be about a pod that the look has not seen yet. */
const FRESH_MS = 60_000;

/** What an observation says of the words that people sent. */
interface WordsSeen {
  /** Pods of which nothing is left that a word could be about. */
  idleWords?: string[];
  asOfMs?: number;
}

/** Words about pods that are gone are of no use any more, and leave their place to others. */
export function forgetWords(state: WorkloadState, { idleWords = [], asOfMs = 0 }: WordsSeen): void {
  const { pods, ...others } = state.gates;
  if (pods === undefined || idleWords.length === 0) return;
  const isFresh = (word: GateWord) => Math.max(...Object.values(word)) + FRESH_MS > asOfMs;
  const kept = Object.entries(pods).filter(([pod, word]) => !idleWords.includes(pod) || isFresh(word));
  state.gates = kept.length === 0 ? others : { ...others, pods: Object.fromEntries(kept) };
}

interface SpecRetry {
  retryGates: boolean;
  retried?: string[];
}

/**
 * `retry` of a hook that turned true since the last look is a word about its failed runs (decision 10). The first look of all
 * has no word: what had failed by then had failed under a state that is lost, and a level that is read twice must not act twice.
 */
export function takeSpecRetry(state: WorkloadState, { retryGates, retried }: SpecRetry, nowMs: number): void {
  const { retried: known } = state;
  if (retried === undefined) {
    if (retryGates && !state.retryGates) state.gates = { ...state.gates, retriedAtMs: nowMs };
  } else {
    const turned = known === undefined ? [] : retried.filter((field) => !known.includes(field));
    for (const field of turned) retryHook(state, field, nowMs);
    state.retried = retried;
  }
  state.retryGates = retryGates;
}

function retryHook(state: WorkloadState, field: string, nowMs: number): void {
  const gate = gateOfField(field);
  if (gate !== undefined)
    state.gates = { ...state.gates, hooks: { ...state.gates.hooks, [gate]: { retriedAtMs: nowMs } } };
}
