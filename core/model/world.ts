/** What every walk has: three revisions and two nodes. */
import type { Revision } from '../plan/types.ts';

const revision = (name: string, number: number, image: string): Revision => ({
  name,
  number,
  template: { spec: { containers: [{ name: 'game', image }] } },
});

/** r3 never gets ready. */
export const REVISIONS = [revision('r1', 1, 'game:1'), revision('r2', 2, 'game:2'), revision('r3', 3, 'game:bad')];
export const BY_NAME = new Map(REVISIONS.map((item) => [item.name, item]));
export const NODES = { n1: { ready: true }, n2: { ready: true } };

/** Where every walk begins. */
export const STABLE_REVISION = 'r1';
/** Where every walk is sent at its end. */
export const LAST_REVISION = 'r2';
