/**
 * What an event says, and its form in the API. Pure: no clock, no I/O. The form is that of `v1`, since `events.k8s.io/v1`
 * refuses the times by which `kubectl describe` puts events in order.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';

/** The object an event is about, or one that had a part in it. */
interface ObjectReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
}

export interface EventNote {
  regarding: ObjectReference;
  related?: ObjectReference;
  type: 'Normal' | 'Warning';
  /** Why, one CamelCase word, at most 128 characters. */
  reason: string;
  /** What was done or tried, one CamelCase word. */
  action: string;
  /** One sentence; cut at 1 KiB. */
  note: string;
}

/** Who reports: `controller` is a qualified name, `instance` tells processes apart. */
export interface EventReporter {
  controller: string;
  instance: string;
}

/** As far as others look into it. */
export interface KubernetesEvent extends KubernetesObject, EventTimes {
  eventTime: string;
  firstTimestamp: string;
  message: string;
}

/** What changes when the same thing happens again. */
export interface EventTimes {
  lastTimestamp: string;
  series?: { count: number; lastObservedTime: string };
}

const MAX_NOTE_BYTES = 1024;
const MAX_WORD = 128;
const MAX_NAME = 200;

export function referenceTo(object: KubernetesObject & { apiVersion: string; kind: string }): ObjectReference {
  const { name, namespace, uid } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid };
}

/** Notes with the same key are the same event happening again. */
export function keyOfNote({ regarding, type, reason, action, note }: EventNote): string {
  const { kind, namespace, name, uid } = regarding;
  return JSON.stringify([kind, namespace, name, uid, type, reason, action, note]);
}

/** `suffix` makes the name unique; a repeated POST of the same event must carry the same one. */
export function eventObject(
  note: EventNote,
  reporter: EventReporter,
  suffix: string,
  { at, ...times }: EventTimes & { at: Date },
): KubernetesEvent {
  const body = {
    ...{ apiVersion: 'v1', kind: 'Event' },
    metadata: {
      name: `${note.regarding.name.slice(0, MAX_NAME)}.${suffix}`,
      // Events about cluster-wide objects live in `default`.
      namespace: note.regarding.namespace ?? 'default',
    },
    ...{ eventTime: microTime(at), firstTimestamp: secondTime(at), ...times },
    ...{ source: { component: reporter.controller }, reportingComponent: reporter.controller },
    reportingInstance: reporter.instance.slice(0, MAX_WORD),
    involvedObject: note.regarding,
    related: note.related,
    type: note.type,
    reason: note.reason.slice(0, MAX_WORD),
    action: note.action.slice(0, MAX_WORD),
    message: cutBytes(note.note, MAX_NOTE_BYTES),
  };
  return body;
}

/** The times of something that happened `count` times, lastly at `at`. */
export function eventTimes(count: number, at: Date): EventTimes {
  const lastTimestamp = secondTime(at);
  return count < 2 ? { lastTimestamp } : { lastTimestamp, series: { count, lastObservedTime: microTime(at) } };
}

/**
 * Names sort by time: kubectl keeps their order where the times of two events are in one second. `order` tells those of one
 * millisecond apart, `random` those of two processes.
 */
export function eventSuffix(at: Date, order: number, random: string): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0').slice(-digits);
  return `${hex(at.getTime(), 11)}${hex(order, 4)}${random}`;
}

/** RFC 3339 with whole seconds: the API keeps no more here. */
const secondTime = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z');

/** RFC 3339 with six digits: the API refuses milliseconds here. */
export function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}

/** At most `limit` bytes of UTF-8, never half a character. */
export function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const ellipsis = '…';
  const room = limit - Buffer.byteLength(ellipsis);
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > room) break;
    kept += character;
  }
  return kept + ellipsis;
}
