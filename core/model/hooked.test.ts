import { expect, it } from 'vitest';
import { HOOKED_DEPLOYMENT, HOOKED_STATEFUL_SET } from './game.ts';
import { brokenRollouts } from './walks.ts';

const PARTS = 4;
const SIZE = 250;
const KINDS = { GameDeployment: HOOKED_DEPLOYMENT, GameStatefulSet: HOOKED_STATEFUL_SET };
const parts = Array.from({ length: PARTS }, (_, part) => part);

it.each(parts.flatMap((part) => (['GameDeployment', 'GameStatefulSet'] as const).map((kind) => ({ kind, part }))))(
  'rollouts of a $kind keep every promise while hooks after updates fail, pods go and people speak, part $part',
  ({ kind, part }) => {
    expect(brokenRollouts(1 + part * SIZE, 1 + (part + 1) * SIZE, KINDS[kind])).toEqual([]);
  },
);
