/** Reads a run's history as people read it in the UI. */
import type { WorkflowHandle } from '@temporalio/client';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export const eventsOf = ({ events }: History): number => events?.length ?? 0;

/** Summaries of the timers, in the order in which they were started. */
export function timersOf({ events }: History): string[] {
  const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes);
  return timers.map(({ userMetadata }) =>
    JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString() || '""'),
  );
}

/** Names of the updates that left a trace; a refused one leaves none. */
export function acceptedUpdates({ events }: History): string[] {
  const accepted = (events ?? []).flatMap((event) => event.workflowExecutionUpdateAcceptedEventAttributes ?? []);
  return accepted.map(({ acceptedRequest }) => acceptedRequest?.input?.name ?? '');
}

/** Names of the signals that the server was asked to carry to other workflows. */
export function signalsSent({ events }: History): string[] {
  const sent = (events ?? []).flatMap((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes ?? []);
  return sent.map(({ signalName }) => signalName ?? '');
}
