import { expect, it } from 'vitest';
import { describeFault, traceFault } from './fault.ts';

const SECRET = 'hunter2';

it.each([
  [new TypeError(SECRET), 'TypeError'],
  [Object.assign(new Error('x'), { name: `Error ${SECRET}` }), 'Error'],
  [SECRET, 'Error'],
  [undefined, 'Error'],
])('%o is told by its name', (error, name) => {
  expect(describeFault(error)).toBe(`a fault of Holdfast: ${name}`);
  expect(JSON.stringify(traceFault(error))).not.toContain(SECRET);
});

it('the log says where it happened, whatever the message looks like', () => {
  const { at } = traceFault(new RangeError(`${SECRET}\n    at ${SECRET}`));
  expect(at.join()).toContain('fault.test.ts');
  expect(at.join()).not.toContain(SECRET);
});
