import { expect, it } from 'vitest';
import { brokenWalks, WALKS } from './walks.ts';

const PARTS = 10;
const SIZE = WALKS / 2 / PARTS;
const START = 1 + WALKS / 2;

it.each(Array.from({ length: PARTS }, (_, part) => part))(
  'seeded walks, part %i of the second half, keep every promise',
  (part) => {
    expect(brokenWalks(START + part * SIZE, START + (part + 1) * SIZE)).toEqual([]);
  },
);
