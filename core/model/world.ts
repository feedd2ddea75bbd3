/** What every walk has: revisions of two containers, and two nodes. */
import type { Revision } from '../plan/types.ts';

const revision = (
  name: string,
  number: number,
  [game, side]: [string, string],
  { map = '', ...annotations }: Record<string, string> = {},
): Revision => ({
  name,
  number,
  template: {
    metadata: { annotations: { map, ...annotations } },
    spec: {
      containers: [
        { name: 'game', image: game },
        { name: 'side', image: side },
      ],
    },
  },
});

/** With a longer grace period. */
const longer = ({ template, ...rest }: Revision): Revision => ({
  ...rest,
  template: { ...template, spec: { ...template.spec, terminationGracePeriodSeconds: 60 } },
});

/**
 * r3 never gets ready; r4 differs from r2 by metadata only, r6 from r1 by the request to restart, r7 from
 * r1 by what no update in place can bring. Those from r5 on play in stories only.
 */
export const REVISIONS = [
  revision('r1', 1, ['game:1', 'side:1']),
  revision('r2', 2, ['game:2', 'side:2']),
  revision('r3', 3, ['game:bad', 'side:2']),
  revision('r4', 4, ['game:2', 'side:2'], { map: 'desert' }),
  revision('r5', 5, ['game:3', 'side:2']),
  revision('r6', 6, ['game:1', 'side:1'], { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' }),
  longer(revision('r7', 7, ['game:1', 'side:1'])),
];
export const BY_NAME = new Map(REVISIONS.map((item) => [item.name, item]));
export const NODES = { n1: { ready: true }, n2: { ready: true } };

/** Where every walk begins. */
export const STABLE_REVISION = 'r1';
/** Its pods never get ready. */
export const BROKEN_REVISION = 'r3';
/** Where every walk is sent at its end. */
export const LAST_REVISION = 'r2';
