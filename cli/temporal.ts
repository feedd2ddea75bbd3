/** The Temporal that a command talks to. The SDK is loaded late: it costs half a second. */
import type { Client } from '@temporalio/client';
import { sayError } from '../workers/startup-error.ts';
import type { TemporalFlags } from './options.ts';

const IDENTITY = 'holdfast CLI';
/** A person waits. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Runs `use` with a client, or with the sentence that says why there is none. */
export async function withTemporal<T>(flags: TemporalFlags, use: (client: Client | string) => Promise<T>): Promise<T> {
  const { connectTemporal } = await import('../workers/temporal.ts');
  const temporal = await connectTemporal({ ...flags, identity: IDENTITY, connectTimeoutMs: CONNECT_TIMEOUT_MS }).catch(
    (error: unknown) => sayError(error),
  );
  if (typeof temporal === 'string') return await use(temporal);
  try {
    return await use(temporal.client);
  } finally {
    await temporal.close();
  }
}
