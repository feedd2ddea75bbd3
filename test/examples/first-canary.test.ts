/** The commands of examples/first-canary/README.md, run as they stand there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RolloutResult } from '../../core/rollout/types.ts';
import { withOperator } from '../../devstack/operator.ts';
import { commandsOf, ROOT } from './read-examples.ts';
import { shell } from './shell.ts';

const PAGE = readFileSync(join(ROOT, 'examples/first-canary/README.md'), 'utf8');

test('a first canary, as its page tells it', { timeout: 300_000 }, async () => {
  await withOperator(
    { log: () => {}, userAgent: 'examples', signal: new AbortController().signal },
    async (operator) => {
      // One right after the other, as they are pasted.
      const said: string[] = [];
      for (const command of commandsOf(PAGE)) said.push(await shell(operator, command));
      const page = said.find((text) => text.startsWith('GameDeployment'));
      expect(page).toContain('2 updated');
      expect(page).toMatch(/▶\s+1\s+pause\s+paused/);
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
