/** What the providers that ask a server share: its URL, its time limit, whom to trust, and what is said when it fails. */
import type { ProviderTls } from '../../../crds/provider.ts';
import { startDeadline } from '../../../kubernetes/deadline.ts';
import { exchange, type HttpQuestion, type HttpReply } from '../http/exchange.ts';
import { describeTransportError } from '../http/transport-problem.ts';
import { trustOf } from '../http/trust.ts';
import { type ProviderContext, ProviderProblem } from './types.ts';

const MAX_TYPE_LENGTH = 60;

interface Asking {
  /** To blame when there is no answer. */
  urlField: string;
  tlsField: string;
  tls: ProviderTls | undefined;
  timeoutSeconds: number;
}

/** @throws ProviderProblem, or the signal's reason. */
export async function askServer(question: HttpQuestion, asking: Asking, context: ProviderContext): Promise<HttpReply> {
  const { ports, secrets, signal } = context;
  const dispatcher = ports.agents.for(await trustOf(asking.tlsField, asking.tls, secrets));
  const deadline = startDeadline(asking.timeoutSeconds * 1000, signal);
  try {
    const reply = await exchange(question, { dispatcher, deadline });
    // A server that repeats what it was sent: masked before it is cut, for half a secret is one, too.
    return { ...reply, contentType: secrets.redact(reply.contentType).slice(0, MAX_TYPE_LENGTH) };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = deadline.ended() === 'expired';
    const why = isLate ? `no answer within ${asking.timeoutSeconds} s` : describeTransportError(error);
    throw requestProblem(asking.urlField, question, why);
  } finally {
    deadline.release();
  }
}

/** Names method, host and path; neither query nor credentials. */
export function requestProblem(field: string, { method, url }: HttpQuestion, why: string): ProviderProblem {
  return new ProviderProblem(field, `${method} ${url.origin}${url.pathname}: ${why}`);
}

/** @throws ProviderProblem */
export function parseHttpUrl(field: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ProviderProblem(field, 'this is not a valid http or https URL');
}
