/** What every walk has: four revisions of two containers, and two nodes. */
import type { Revision } from '../plan/types.ts';

const revision = (name: string, number: number, [game, side]: [string, string], map = ''): Revision => ({
  name,
  number,
  template: {
    metadata: { annotations: { map } },
    spec: {
      containers: [
        { name: 'game', image: game },
        { name: 'side', image: side },
      ],
    },
  },
});

/** r3 never gets ready; r4 differs from r2 by metadata only. */
export const REVISIONS = [
  revision('r1', 1, ['game:1', 'side:1']),
  revision('r2', 2, ['game:2', 'side:2']),
  revision('r3', 3, ['game:bad', 'side:2']),
  revision('r4', 4, ['game:2', 'side:2'], 'desert'),
];
export const BY_NAME = new Map(REVISIONS.map((item) => [item.name, item]));
export const NODES = { n1: { ready: true }, n2: { ready: true } };

/** Where every walk begins. */
export const STABLE_REVISION = 'r1';
/** Where every walk is sent at its end. */
export const LAST_REVISION = 'r2';
