import { expect, test } from 'vitest';
import { Tombstones } from './tombstones.ts';

test('the oldest are forgotten first', () => {
  const tombstones = new Tombstones(2);
  for (const uid of ['a', 'b', 'c', undefined]) tombstones.add(uid);
  expect(['a', 'b', 'c'].map((uid) => tombstones.has(uid))).toEqual([false, true, true]);
});
