/** A history into which somebody else had spoken: a signal is put before another one, and what comes after is numbered anew. */

interface HistoryEvent {
  eventId: string;
  workflowExecutionSignaledEventAttributes?: { signalName: string; input: object };
}

const NUMBERS = /^(eventId|scheduledEventId|startedEventId|workflowTaskCompletedEventId|initiatedEventId)$/;

/** `{}` as a person's word. */
const NOTHING = { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'e30=' }] };

/** @throws Error when event `at` is no signal. */
export function insertSignal(history: string, at: number, signalName: string): string {
  const { events } = JSON.parse(history) as { events: HistoryEvent[] };
  const spoken = events[at - 1];
  const signal = spoken?.workflowExecutionSignaledEventAttributes;
  if (spoken === undefined || signal === undefined) throw new Error(`event ${at} is no signal`);
  const inserted = { ...spoken, workflowExecutionSignaledEventAttributes: { ...signal, signalName, input: NOTHING } };
  return JSON.stringify({
    events: [...events.slice(0, at - 1), inserted, ...events.slice(at - 1).map(numberedAnew(at))],
  });
}

/** Each number from `first` on is one more, wherever it stands in the event. */
const numberedAnew = (first: number) => (event: HistoryEvent) =>
  JSON.parse(JSON.stringify(event), (key, value: unknown) =>
    NUMBERS.test(key) && Number(value) >= first ? String(Number(value) + 1) : value,
  ) as HistoryEvent;
