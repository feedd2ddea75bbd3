import { expect, it } from 'vitest';
import { restlessWalks } from './calm-walks.ts';
import { DEPLOYMENT, STATEFUL_SET } from './game.ts';

const PARTS = 4;
const SIZE = 500;
const KINDS = { GameDeployment: DEPLOYMENT, GameStatefulSet: STATEFUL_SET };
const parts = Array.from({ length: PARTS }, (_, part) => part);

it.each(parts.flatMap((part) => (['GameDeployment', 'GameStatefulSet'] as const).map((kind) => ({ kind, part }))))(
  'plans of a $kind come to their end, whatever was before, and then plan nothing, part $part',
  ({ kind, part }) => {
    expect(restlessWalks(1 + part * SIZE, 1 + (part + 1) * SIZE, KINDS[kind])).toEqual([]);
  },
);
