/**
 * The watches that run through the proxy, and how they are stopped: bytes withheld while the connection stays open, or
 * cut and refused. Owns the flow of a watch's bytes; knows nothing of what they say.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** `withhold`: silence on an open connection. `cut`: running watches are reset, new ones refused. */
export type WatchStop = 'withhold' | 'cut';

interface WatchStream {
  resource: string;
  answer: IncomingMessage;
  client: ServerResponse;
  /** What arrived while withheld, in order. */
  withheld: Buffer[];
  ended: boolean;
}

/** State of one proxy's watches. */
export class WatchFaults {
  #stops = new Map<string, WatchStop>();
  #streams = new Set<WatchStream>();

  /** Stops the watches of a resource such as `pods`, running and coming ones, until `resume`. */
  stop(resource: string, how: WatchStop): void {
    this.#stops.set(resource, how);
    if (how === 'cut') for (const stream of this.#of(resource)) resetConnection(stream.client);
  }

  /** Lets a resource's watches flow again; what was withheld is delivered first, in order. */
  resume(resource: string): void {
    this.#stops.delete(resource);
    for (const stream of this.#of(resource)) release(stream);
  }

  resumeAll(): void {
    for (const resource of this.#stops.keys()) this.resume(resource);
  }

  isCut(resource: string): boolean {
    return this.#stops.get(resource) === 'cut';
  }

  /** Number of watches of a resource that are open now. */
  countOpen(resource: string): number {
    return [...this.#of(resource)].length;
  }

  /** Streams an answer to its client from now on, under the stops in force at each moment. */
  attach(resource: string, answer: IncomingMessage, client: ServerResponse): void {
    const stream: WatchStream = { resource, answer, client, withheld: [], ended: false };
    this.#streams.add(stream);
    client.once('close', () => {
      this.#streams.delete(stream);
      answer.destroy();
    });
    answer.on('data', (chunk: Buffer) => this.#pass(stream, chunk));
    answer.once('end', () => this.#end(stream));
    answer.once('error', () => resetConnection(client));
  }

  #pass(stream: WatchStream, chunk: Buffer): void {
    if (this.#stops.get(stream.resource) === 'withhold') stream.withheld.push(chunk);
    else sendChunk(stream, chunk);
  }

  #end(stream: WatchStream): void {
    stream.ended = true;
    if (this.#stops.get(stream.resource) !== 'withhold') stream.client.end();
  }

  #of(resource: string): WatchStream[] {
    return [...this.#streams].filter((stream) => stream.resource === resource);
  }
}

function release(stream: WatchStream): void {
  for (const chunk of stream.withheld.splice(0)) sendChunk(stream, chunk);
  if (stream.ended) stream.client.end();
}

function sendChunk({ answer, client }: WatchStream, chunk: Buffer): void {
  if (client.write(chunk)) return;
  answer.pause();
  client.once('drain', () => answer.resume());
}

/** Ends a client's connection the way a lost network does: no answer, no end of stream. */
export function resetConnection(client: ServerResponse): void {
  if (client.socket) client.socket.resetAndDestroy();
  else client.destroy();
}
