import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { composeStages } from './stages.ts';

interface Document {
  kind: string;
  metadata?: { name: string };
}

test('every include is resolved and every stage has a name of its own', () => {
  const text = composeStages();
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Document);
  const names = documents.flatMap(({ kind, metadata }) => (kind === 'Stage' ? [metadata?.name] : []));
  expect(names).toContain('pod-restart');
  expect(names).toContain('node-ready');
  expect(new Set(names).size).toBe(names.length);
  expect(text).not.toContain('@include');
});
