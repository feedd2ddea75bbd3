/** Signals by the Temporal client: what the activity `tell` is given. */
import type { Client } from '@temporalio/client';
import type { Messenger } from '../activities/tell.ts';

export const createMessenger = ({ workflow }: Pick<Client, 'workflow'>): Messenger => ({
  signal: ({ workflowId, signal, message }) => workflow.getHandle(workflowId).signal(signal, message),
});
