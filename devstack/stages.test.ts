import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { composeStages } from './stages.ts';

test('every include is resolved and every stage has a name of its own', () => {
  const text = composeStages();
  const stages = parseAllDocuments(text).map((document) => document.toJS() as { metadata: { name: string } });
  const names = stages.map(({ metadata }) => metadata.name);
  expect(names).toContain('pod-restart');
  expect(names).toContain('node-ready');
  expect(new Set(names).size).toBe(names.length);
  expect(text).not.toContain('@include');
});
