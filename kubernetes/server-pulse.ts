/**
 * Asks the apiserver every 2 s whether it is there, for all reflectors of a client together. A quiet watch brings a
 * bookmark only each minute, so its own silence proves nothing; HTTP/2 pings find dead connections but say nothing to a
 * process that was itself frozen.
 */
import type { KubernetesClient } from './client.ts';
import { pause } from './deadline.ts';
import { Listeners, type Unsubscribe } from './listeners.ts';

/** One question. `answeredAt` is when it was *sent* (monotonic milliseconds): the server lived then or later. */
export interface Beat {
  answeredAt: number | undefined;
}

const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 3_000;
const BEATS = 'beats';

/** Beats only while somebody listens. */
export class ServerPulse {
  readonly #client: Pick<KubernetesClient, 'probe'>;
  readonly #listeners: Listeners<Beat>;
  #listening = 0;
  #stop: AbortController | undefined;

  constructor(client: Pick<KubernetesClient, 'probe'>, onError: (error: unknown) => void = () => undefined) {
    this.#client = client;
    this.#listeners = new Listeners(onError);
  }

  listen(listener: (beat: Beat) => void): Unsubscribe {
    const remove = this.#listeners.add(BEATS, listener);
    this.#listening += 1;
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      void this.#beat(this.#stop.signal);
    }
    return () => {
      remove();
      this.#listening -= 1;
      if (this.#listening > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
    };
  }

  async #beat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const sentAt = performance.now();
      const isAnswered = await this.#client.probe(TIMEOUT_MS, signal);
      if (signal.aborted) return;
      this.#listeners.emit(BEATS, { answeredAt: isAnswered ? sentAt : undefined });
      await pause(Math.max(0, sentAt + INTERVAL_MS - performance.now()), signal);
    }
  }
}
