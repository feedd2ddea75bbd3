/** What docs/operating.md and docs/waiting.md tell whoever operates Holdfast, against the code: names, reasons, ports, commands. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addControllerCommand } from '../../cli/controller.ts';
import { addGetCommand } from '../../cli/get.ts';
import { addHistoryCommand } from '../../cli/history.ts';
import { addInstallCommand } from '../../cli/install.ts';
import { addRollbackCommand } from '../../cli/rollback.ts';
import { addVerbCommands } from '../../cli/verbs.ts';
import { READY_REASONS } from '../../core/status/reasons.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { rbacObjects } from '../../deploy/rbac.ts';
import { readConfig } from '../../workers/config.ts';
import { DOORBELL_ID } from '../../workflows/doorbell-start.ts';
import { HOOK_RUN_WORKFLOW } from '../../workflows/hook-run-start.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const OPERATING = read('docs/operating.md');
const WAITING = read('docs/waiting.md');

const blocks = (language: string): string[] =>
  [...OPERATING.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

interface Deployment {
  metadata: { namespace: string };
  spec: {
    template: {
      spec: {
        serviceAccountName: string;
        containers: {
          args: string[];
          ports: { containerPort: number }[];
          livenessProbe: { httpGet: { path: string } };
          readinessProbe: { httpGet: { path: string } };
        }[];
      };
    };
  };
}
interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}
const [deployment, rules] = blocks('yaml').map((text) => parse(text)) as [Deployment, Rules];

/** Every command of `holdfast`, with its options. */
function commands(): Command[] {
  const program = new Command('holdfast');
  for (const add of [addControllerCommand, addInstallCommand, addGetCommand, addVerbCommands]) add(program);
  for (const add of [addHistoryCommand, addRollbackCommand]) add(program);
  return [...program.commands];
}

describe('the Deployment of docs/operating.md', () => {
  const { serviceAccountName, containers } = deployment.spec.template.spec;
  const [container] = containers;

  test('runs as the ServiceAccount that holdfast install makes', () => {
    const account = rbacObjects().find(({ kind }: KubernetesObject) => kind === 'ServiceAccount');
    expect([deployment.metadata.namespace, serviceAccountName]).toEqual([
      account?.metadata.namespace,
      account?.metadata.name,
    ]);
  });

  test('asks for health where the controller answers', () => {
    const { port } = readConfig({}, {}).listen;
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([port]);
    const server = read('workers/health-server.ts');
    for (const { httpGet } of [container!.livenessProbe, container!.readinessProbe])
      expect(server).toContain(`case '${httpGet.path}':`);
    expect(container?.args).toEqual(['controller']);
  });
});

test('every metric of the alerts is one of docs/metrics.md, every reason one that Ready may have', () => {
  const expressions = rules.groups.flatMap((group) => group.rules).map(({ expr }) => expr);
  expect(expressions.length).toBeGreaterThan(5);
  const metrics = new Set(expressions.flatMap((text) => text.match(/\bholdfast_\w+/g) ?? []));
  const page = read('docs/metrics.md');
  expect([...metrics].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const reasons = expressions.flatMap((text) => /reason=~?"([^"]*)"/.exec(text)?.[1]?.split('|') ?? []);
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter((reason) => !READY_REASONS.has(reason))).toEqual([]);
});

test('docs/waiting.md explains each reason of Ready', () => {
  /** No release sets it yet: images are not pulled before an update. */
  const UNUSED = ['PausedByPrewarm'];
  const missing = [...READY_REASONS].filter((reason) => !WAITING.includes(`| \`${reason}\``));
  expect(missing).toEqual(UNUSED);
});

test('the search attributes and the doorbell have the names that it says', () => {
  for (const { name, type } of SEARCH_ATTRIBUTES) {
    const listed = new RegExp(`\`${name}\`[^()]*\\(${type}\\)`);
    expect(OPERATING).toMatch(listed);
  }
  expect(OPERATING).toContain(`temporal workflow terminate -w ${DOORBELL_ID}`);
  expect(OPERATING).toContain(`WorkflowType IN ('workload','rollout','${HOOK_RUN_WORKFLOW}')`);
});

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** `holdfast <verb> …` as one types it, up to the end of the line or of the backquotes. */
const typed = (page: string) =>
  [...page.matchAll(/(?:^|`|npm run -s )holdfast (?:-- )?([a-z]+)\b([^`\n|#]*)/gm)].map(([, verb = '', rest = '']) => ({
    verb,
    flags: rest.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [],
  }));

test.each(PAGES)('the commands in %s exist, with their flags', (path) => {
  const known = new Map(commands().map((command) => [command.name(), command.options.map(({ long }) => long)]));
  const wrong = typed(read(path)).filter(
    ({ verb, flags }) =>
      !known.has(verb) || flags.some((flag) => flag !== '--help' && !known.get(verb)?.includes(flag)),
  );
  expect(wrong).toEqual([]);
});

test('the pages show commands at all', () => {
  expect(PAGES.flatMap((path) => typed(read(path))).length).toBeGreaterThan(50);
});
