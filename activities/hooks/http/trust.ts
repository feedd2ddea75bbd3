/** What a provider's `tls` field means for its connections. */
import { X509Certificate } from 'node:crypto';
import type { ProviderTls } from '../../../crds/provider.ts';
import { ProviderProblem, type SecretValues } from '../providers/types.ts';
import type { Trust } from './agents.ts';

/** @throws ProviderProblem when the certificates are missing or none. */
export async function trustOf(field: string, tls: ProviderTls | undefined, secrets: SecretValues): Promise<Trust> {
  if (tls === undefined) return {};
  const { ca, caSecret, insecureSkipVerify } = tls;
  const insecure = insecureSkipVerify === true;
  if (caSecret !== undefined) {
    const name = `${field}.caSecret`;
    return { ca: certificates(name, await secrets.read(name, caSecret)), insecure };
  }
  return ca === undefined || ca === '' ? { insecure } : { ca: certificates(`${field}.ca`, ca), insecure };
}

/** Node takes a text without certificates for an empty list of authorities and trusts nobody, without a word. */
function certificates(field: string, pem: string): string {
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw new ProviderProblem(field, 'there is no certificate in PEM');
  }
}
