/** Which nodes the audit log shows as Ready, and since when. Asked at one write after the other; judges nothing. */
import type { Node } from '../../crds/kubernetes.ts';
import type { CommittedWrite } from './audit-log.ts';

export class NodeHistory {
  readonly #readySinceMs = new Map<string, number>();

  /** Takes a write over; one that is none of a node changes nothing. */
  apply({ resource, event, answeredMs }: CommittedWrite): void {
    if (resource !== 'nodes' && resource !== 'nodes/status') return;
    const node = event.responseObject as unknown as Node | undefined;
    const name = event.objectRef?.name ?? node?.metadata.name ?? '';
    if (event.verb.startsWith('delete')) this.#readySinceMs.delete(name);
    if (event.verb.startsWith('delete') || node?.status === undefined) return;
    const isReady = node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    if (!isReady) this.#readySinceMs.delete(name);
    else if (!this.#readySinceMs.has(name)) this.#readySinceMs.set(name, answeredMs);
  }

  /** Not Ready or not there at some moment since. */
  isLostSince(name: string, sinceMs: number): boolean {
    return (this.#readySinceMs.get(name) ?? Number.POSITIVE_INFINITY) > sinceMs;
  }
}
