/** Waiting for something that is asked for again and again. */
import { setTimeout as delay } from 'node:timers/promises';

const ASK_EVERY_MS = 200;

/** False when it did not become true in time. @throws what `holds` throws. */
export async function untilTrue(holds: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const endsAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() >= endsAt) return false;
    await delay(ASK_EVERY_MS);
  }
  return true;
}
