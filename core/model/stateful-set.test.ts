import { expect, it } from 'vitest';
import { STATEFUL_SET } from './game.ts';
import { brokenWalks } from './walks.ts';

const PARTS = 4;
const SIZE = 1_000;

it.each(Array.from({ length: PARTS }, (_, part) => part))(
  'seeded walks of a GameStatefulSet, part %i, keep every promise: budgets, partition, order, places and claims',
  (part) => {
    expect(brokenWalks(1 + part * SIZE, 1 + (part + 1) * SIZE, STATEFUL_SET)).toEqual([]);
  },
);
