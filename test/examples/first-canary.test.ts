/** The commands of examples/first-canary/README.md, run as they stand there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RolloutResult } from '../../core/rollout/types.ts';
import { withOperator } from '../../devstack/operator.ts';
import { eventually } from '../support/eventually.ts';
import { commandsOf, ROOT } from './read-examples.ts';
import { shell } from './shell.ts';

const PAGE = readFileSync(join(ROOT, 'examples/first-canary/README.md'), 'utf8');
const PATIENCE_MS = 120_000;

test('a first canary, as its page tells it', { timeout: 300_000 }, async () => {
  const [apply, wait, patch, get, resume] = commandsOf(PAGE);
  await withOperator(
    { log: () => {}, userAgent: 'examples', signal: new AbortController().signal },
    async (operator) => {
      for (const command of [apply, wait, patch]) await shell(operator, command ?? '');
      await eventually('it is paused at step 1', () => shell(operator, get ?? ''), {
        timeoutMs: PATIENCE_MS,
        until: (page) => /▶\s+1\s+pause\s+paused/.test(page) && page.includes('2 updated'),
      });
      await shell(operator, resume ?? '');
      const handle = operator.temporal.workflow.getHandle('gamedeployment/default/arena/rollout');
      const { outcome, steps } = (await handle.result()) as RolloutResult;
      expect(outcome).toBe('Completed');
      expect(steps.map((step) => step.outcome)).toEqual(['done', 'resumed', 'done', 'elapsed', 'done']);
    },
  );
});

test('the quick start of README.md uses the same commands', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').replaceAll('\\\n', ' ');
  const shared = commandsOf(PAGE).filter((command) => !command.startsWith('npm'));
  for (const command of shared) expect(readme).toContain(command);
});
