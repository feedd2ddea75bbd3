/** Kinds that an installation opens to hooks: written as `deployments.v1.apps=Deployment`, `configmaps.v1=ConfigMap`. */
import type { ResourceType } from '../kubernetes/resource-types.ts';

const KIND = /^([a-z][a-z0-9-]*)\.(v\d[a-z0-9]*)(?:\.([a-z0-9][a-z0-9.-]*))?=([A-Z][A-Za-z0-9]*)$/;

/** undefined for another text, and for Secrets: what hooks read is shown to people. */
export function parseHookKind(text: string): ResourceType | undefined {
  const [, plural, version, group = '', kind] = KIND.exec(text) ?? [];
  if (plural === undefined || version === undefined || kind === undefined) return undefined;
  if (group === '' && plural === 'secrets') return undefined;
  return { group, version, plural, kind, namespaced: true };
}
