/**
 * The bytes of a watch as events: splits lines, parses JSON, turns ERROR events into ApiErrors. Pulls: nothing is read
 * that the consumer has not asked for.
 */
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { errorFromGarbage, errorFromStatus, type KubernetesStatus } from './error-classification.ts';

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** Everything up to this resourceVersion has been sent; with `initialEnd` the initial objects are complete. */
  | { type: 'BOOKMARK'; resourceVersion: string; initialEnd: boolean };

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
const NEWLINE = 0x0a;

/**
 * @throws ApiError for an ERROR event (410 comes as one), and for a line that is no event: the stream cannot be trusted
 * any more.
 */
export async function* readEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of readLines(chunks)) {
    if (line.length > 0) yield decodeEvent<T>(line);
  }
}

/** Lines without their end; an unfinished last line is dropped, since its stream was cut. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let unfinished: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      unfinished.push(chunk.subarray(from, end));
      yield Buffer.concat(unfinished).toString('utf8');
      unfinished = [];
      from = end + 1;
    }
    // Copied, so that a short rest does not keep a large chunk alive.
    if (from < chunk.length) unfinished.push(Buffer.from(chunk.subarray(from)));
  }
}

function decodeEvent<T extends KubernetesObject>(line: string): WatchEvent<T> {
  const event = parseLine(line);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object as T };
    case 'BOOKMARK':
      return decodeBookmark(event.object as KubernetesObject);
    case 'ERROR': {
      const status = event.object as KubernetesStatus;
      throw errorFromStatus(status, status.code ?? 500);
    }
    default:
      throw errorFromGarbage(undefined, 'a watch');
  }
}

function parseLine(line: string): { type?: string; object?: unknown } {
  try {
    return JSON.parse(line) as { type?: string; object?: unknown };
  } catch (error) {
    throw errorFromGarbage(error, 'a watch');
  }
}

function decodeBookmark(object: KubernetesObject): WatchEvent<never> {
  return {
    type: 'BOOKMARK',
    resourceVersion: object.metadata.resourceVersion ?? '0',
    initialEnd: object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}
