/** Signals by the Temporal client: what the activity `tell` is given. */
import type { Client } from '@temporalio/client';
import type { Messenger } from '../activities/tell.ts';

export const createMessenger = ({ workflow }: Pick<Client, 'workflow'>): Messenger => ({
  signal: ({ workflowId, signal: name, message }, signal) =>
    workflow.withAbortSignal(signal, () => workflow.getHandle(workflowId).signal(name, message)),
});
