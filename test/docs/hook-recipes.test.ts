/** What docs/hooks.md tells people to write: its HookTemplates are sound, its conditions are conditions, its limits are the code's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CONDITION_VARIABLES } from '../../core/hooks/condition.ts';
import { parseExpression } from '../../core/hooks/expression/parser.ts';
import { LIMITS } from '../../core/hooks/expression/syntax.ts';
import { validateHookTemplate } from '../../core/hooks/validation.ts';
import { HOOK_TEMPLATE } from '../../crds/api.ts';
import { type HookTemplate, hookTemplateDefinition } from '../../crds/hook-template.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'hooks.md'), 'utf8');

const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

const manifests = blocks('yaml').map((text) => parse(text) as HookTemplate);
const templates = manifests.filter(({ kind }) => kind === HOOK_TEMPLATE.kind);

test('there is a recipe for each of what people ask for', () => {
  expect(templates.map(({ metadata }) => metadata.name)).toEqual([
    ...['no-players', 'drain-players', 'match-over', 'error-rate', 'migrate'],
  ]);
});

describe.each(templates.map((template) => [template.metadata.name, template] as const))('%s', (_name, { spec }) => {
  test('is accepted, and its run can be carried out', () => {
    expect(hookTemplateDefinition.spec.safeParse(spec).error?.issues ?? []).toEqual([]);
    expect(validateHookTemplate(spec)).toEqual([]);
  });
});

test('workloads name templates of the page', () => {
  const named = blocks('yaml').flatMap((text) => [...text.matchAll(/templateName: (\S+)/g)].map(([, name]) => name));
  const known = templates.map(({ metadata }) => metadata.name);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test('the conditions that it shows are conditions', () => {
  const [, section = ''] = /\n## Conditions\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
  const [, shown = ''] = /```\n([\s\S]*?)```/.exec(section) ?? [];
  const lines = shown.split('\n').filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(() => parseExpression(line, CONDITION_VARIABLES)).not.toThrow();
});

test('the bounds that it names are those of the language', () => {
  const { sourceLength, depth, nodes, listLength, steps } = LIMITS;
  const number = (value: number) => value.toLocaleString('en');
  expect(PAGE).toContain(
    `**Bounds**: ${sourceLength} characters, ${depth} levels, ${nodes} parts, ranges of ${number(listLength)} numbers, and as much work as visiting ${number(steps)} items`,
  );
});
