/** The activity `tell`: a word of one workflow to another, sent beside it (docs/adr/0018). */
import { currentAttempt } from './attempt.ts';

export interface TellRequest {
  workflowId: string;
  signal: string;
  /** Its one argument. */
  message: unknown;
}

/** What telling needs of Temporal. */
export interface Messenger {
  /**
   * Signals the run of the id that is there. Nothing is sent any more once `signal` has aborted: somebody else tells it then.
   * @throws Error where there is none, or Temporal does not answer.
   */
  signal(request: TellRequest, signal: AbortSignal): Promise<void>;
}

export interface MessageActivities {
  /** @throws as `Messenger.signal` does. */
  tell(request: TellRequest): Promise<void>;
}

export const createMessageActivities = ({ messenger }: { messenger: Messenger }): MessageActivities => ({
  tell: (request) => messenger.signal(request, currentAttempt().signal),
});
