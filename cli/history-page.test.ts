import { expect, test } from 'vitest';
import { findEntry } from './history-facts.ts';
import { historyPage, revisionPage } from './history-page.ts';
import { aHistory, inTheMiddle } from './history-scene.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');

test('revisions with their pods, how their rollouts went, and who had a say', () => {
  expect(historyPage(aHistory(), NOW).text).toBe(
    `REVISION   NAME      AGE   PODS   READY   ROLE             OUTCOME     BY
1          lobby-a   60m   0      0
2          lobby-b   60m   0      0                        Completed   ana, ben
3          lobby-c   60m   3      3       stable, update`,
  );
});

test('of a rollout that is open the status speaks', () => {
  const [, first, second] = historyPage(inTheMiddle(), NOW).text.split('\n');
  expect(first).toMatch(/^1 +lobby-a +60m +2 +2 +stable$/);
  expect(second).toMatch(/^2 +lobby-b +60m +1 +1 +update +Paused at step 1 of 2$/);
});

test('as data, with the step log', () => {
  const data = historyPage(aHistory(), NOW).data as { revision: number; roles: string[]; rollout: { steps: [] } }[];
  expect(data.map(({ revision, roles, rollout }) => [revision, roles, rollout?.steps.length ?? null])).toEqual([
    [1, [], null],
    [2, [], 3],
    [3, ['stable', 'update'], null],
  ]);
});

test('a workload without revisions says so', () => {
  expect(historyPage(aHistory({ revisions: [] }), NOW).text).toBe('gamedeployment/lobby has no revision yet.');
});

test('the template of one, however it is recorded', () => {
  const history = aHistory();
  const shown = ['1', '2'].map((wanted) => revisionPage(history, findEntry(history, wanted), false).text);
  const yaml = (image: string) => `metadata:
  labels:
    app: lobby
spec:
  containers:
    - name: game
      image: ${image}`;
  expect(shown).toEqual([`# revision 1 (lobby-a)\n${yaml('game:1')}`, `# revision 2 (lobby-b)\n${yaml('game:2')}`]);
});

test('how the spec differs from it', () => {
  const history = inTheMiddle();
  expect(revisionPage(history, findEntry(history, '1'), true).text).toContain(
    '     - name: game\n-      image: game:1\n+      image: game:2',
  );
  expect(revisionPage(history, findEntry(history, '2'), true).text).toContain('The spec has the same template.');
});
