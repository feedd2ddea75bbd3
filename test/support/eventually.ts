/**
 * Waiting in tests: polls a condition until it holds, and says what was seen last when it gives up.
 * The only place of the tests that waits; nothing else sleeps for a fixed time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface EventuallyOptions<T> {
  /** When to give up; 30 s when absent. A probe still running at that moment is not waited for. */
  timeoutMs?: number;
  /** Pause between two probes; 50 ms when absent. */
  intervalMs?: number;
  /** What a probe's value means; absent: anything but `undefined`, `null` and `false`. */
  until?: (value: T) => boolean;
}

/**
 * Calls `probe` until its value means "yes" and returns that value. A probe that throws counts as "not yet".
 * @throws Error that names `what`, the time waited and the last value or error seen.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  options: EventuallyOptions<T> = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = 30_000, intervalMs = 50, until = isPresent } = options;
  const deadline = performance.now() + timeoutMs;
  let seen: Sighting<T> = { kind: 'nothing' };
  for (;;) {
    const sighting = await look(probe, deadline - performance.now());
    if (sighting.kind === 'value' && until(sighting.value)) return sighting.value as NonNullable<Exclude<T, false>>;
    if (sighting.kind !== 'nothing') seen = sighting;
    if (performance.now() + intervalMs >= deadline) throw new Error(giveUp(what, timeoutMs, seen));
    await delay(intervalMs);
  }
}

type Sighting<T> = { kind: 'value'; value: T } | { kind: 'error'; error: unknown } | { kind: 'nothing' };

/** One probe; `nothing` when it has not answered by the deadline. */
async function look<T>(probe: () => T | Promise<T>, leftMs: number): Promise<Sighting<T>> {
  const stopped = new AbortController();
  const answered = (async (): Promise<Sighting<T>> => {
    try {
      return { kind: 'value', value: await probe() };
    } catch (error) {
      return { kind: 'error', error };
    }
  })();
  const late = delay(Math.max(1, leftMs), undefined, { signal: stopped.signal }).then(
    (): Sighting<T> => ({ kind: 'nothing' }),
    (): Sighting<T> => ({ kind: 'nothing' }),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    stopped.abort();
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function giveUp(what: string, timeoutMs: number, seen: Sighting<unknown>): string {
  return `gave up after ${timeoutMs} ms waiting until ${what}; ${describe(seen)}`;
}

function describe(seen: Sighting<unknown>): string {
  if (seen.kind === 'nothing') return 'the probe never answered';
  if (seen.kind === 'value') return `last seen: ${shorten(inspect(seen.value, { depth: 6, breakLength: 120 }))}`;
  return `the last probe failed: ${shorten(seen.error instanceof Error ? seen.error.message : inspect(seen.error))}`;
}

function shorten(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}
