/** The `holdfast` command on real servers, as people type it: install, get, resume and their refusals. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControllerProcess } from '../faults/process.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from '../workers/installation.ts';

/** Two cores are shared by five servers and whatever else runs. */
const PATIENCE = { timeoutMs: 120_000, intervalMs: 500 };
const CANARY = { canary: { steps: [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }] } };

let here: Installation;

beforeAll(async () => {
  here = await Installation.open();
});
afterAll(async () => {
  await here.close();
});

const status = (path: string) => here.kubectl(['get', 'gamedeployment/lobby', '-o', `jsonpath={.status.${path}}`]);
const pausedAt = (step: number) =>
  eventually(
    `the rollout is paused at step ${step}`,
    () => status('currentStepIndex}/{.status.pauseConditions[0].reason'),
    {
      ...PATIENCE,
      until: (text) => text === `${step}/PausedByCanaryPauseStep`,
    },
  );

describe('install', () => {
  test('--hook-kinds opens kinds to hooks, and a word that is no kind is refused', async () => {
    const { stdout, code } = await here.holdfast([
      'install',
      '--dry-run',
      '--hook-kinds',
      'deployments.v1.apps=Deployment',
    ]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/name: holdfast-hook-kinds\nrules:\n *- apiGroups:\n *- apps\n/),
    ]);
    const refused = await here.holdfast(['install', '--dry-run', '--hook-kinds', 'Deployment']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Deployment is no kind such as')]);
  });

  test('--dry-run prints what kubectl takes, and changes nothing', async () => {
    const { stdout, code } = await here.holdfast(['install', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(4);
    expect(stdout).toMatch(/^kind: ClusterRoleBinding$/m);
    expect(stdout).not.toContain('ValidatingAdmissionPolicy');
    expect(stdout).not.toContain('holdfast-write-paused');
    expect(await here.kubectl(['get', 'crd', '-o', 'name'])).not.toContain('tkex');
  });

  test('says what it did; the second time nothing is left to do', async () => {
    const first = await here.holdfast(['install']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toContain('CustomResourceDefinition gamedeployments.tkex.tencent.com applied');
    expect(first.stdout).toContain('registered: HoldfastWorkload, HoldfastPhase, HoldfastStep, HoldfastPaused');
    const version = () => here.kubectl(['get', 'clusterrole/holdfast', '-o', 'jsonpath={.metadata.resourceVersion}']);
    const before = await version();
    const second = await here.holdfast(['install']);
    expect(second.stdout).toMatch(/search attributes .* are registered already\n$/);
    expect(await version()).toBe(before);
  });

  test('delete protection is applied only where it is asked for', async () => {
    const policies = () =>
      here.kubectl(['get', 'validatingadmissionpolicies,validatingadmissionpolicybindings', '-o', 'name']);
    await here.holdfast(['install', '--no-temporal']);
    expect(await policies()).not.toContain('holdfast');
    const { code, stderr } = await here.holdfast(['install', '--no-temporal', '--delete-protection']);
    expect([code, stderr]).toEqual([0, '']);
    expect((await policies()).match(/holdfast-delete-protection/g)).toHaveLength(6);
    const checked =
      'jsonpath={range .items[*]}{.status.observedGeneration}{.status.typeChecking.expressionWarnings} {end}';
    await eventually(
      'Kubernetes knows every field that the policies name',
      () => here.kubectl(['get', 'validatingadmissionpolicies', '-o', checked]),
      {
        ...PATIENCE,
        until: (text) => text === '1 1 1 ',
      },
    );
    await here.kubectl(['delete', '-f', 'deploy/delete-protection.yaml']);
  });
});

describe('a paused rollout', () => {
  let controller: ControllerProcess;

  beforeAll(async () => {
    await here.holdfast(['install']);
    controller = await here.controller();
    await here.kubectl(['apply', '-f', '-'], gameDeployment('lobby', 'game:1'));
    await here.kubectl(['wait', 'gamedeployment/lobby', '--for=condition=Ready', '--timeout=120s']);
    await here.kubectl(['apply', '-f', '-'], gameDeployment('lobby', 'game:2', CANARY));
    await pausedAt(1);
  });
  afterAll(async () => {
    await controller.kill();
  });

  test('get shows its steps, its pods, what it waits for and how to go on', async () => {
    const { stdout, code } = await here.holdfast(['get', 'gd/lobby']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GameDeployment default\/lobby: 3 of 3 ready, 1 updated; generation 2\n/);
    expect(stdout).toMatch(/^Rollout 1: lobby-\w+ → lobby-\w+, Paused for \d+s$/m);
    expect(stdout).toMatch(/^▶ +1 +pause +paused/m);
    expect(stdout).toMatch(/^ {2}holdfast resume gamedeployment\/lobby -n default --step 1$/m);
  });

  test('get -o json is what scripts read', async () => {
    const { stdout } = await here.holdfast(['get', 'gamedeployment', 'lobby', '-n', 'default', '-o', 'json']);
    const { rollout, revisions } = JSON.parse(stdout);
    expect(rollout.from).toBe('run');
    expect(rollout.report.view).toMatchObject({ phase: 'Paused', stepIndex: 1, stepCount: 4 });
    expect(revisions.map(({ pods }: { pods: number }) => pods).sort()).toEqual([1, 2]);
  });

  test('the lists name it', async () => {
    const { stdout } = await here.holdfast(['get', 'gamedeployments', '-A']);
    expect(stdout).toMatch(/^default +lobby +3 +1 +3 +3 +Paused at step 1 of 4 /m);
    expect((await here.holdfast(['get', 'hookruns'])).stdout).toBe('None found in namespace default.\n');
  });

  const refusals: [string, string[], number, RegExp][] = [
    ['a wrong step', ['resume', 'gd/lobby', '--step', '0'], 1, /^holdfast: The rollout is at step 1, not at step 0\n$/],
    ['nothing to retry', ['retry', 'gd/lobby'], 1, /^holdfast: Nothing to retry: /],
    [
      'no such object',
      ['get', 'gd/nobody'],
      1,
      /^holdfast: There is no gamedeployment\/nobody in namespace default\n$/,
    ],
    ['no rollout', ['resume', 'gd/nobody'], 1, /^holdfast: No rollout of gamedeployment\/nobody is open/],
    ['no such kind', ['get', 'pods'], 2, /^holdfast: "pods" is no kind that holdfast knows/],
    ['a step that is no number', ['resume', 'gd/lobby', '--step', 'x'], 2, /^holdfast: --step is "x": must be a whole/],
    ['no such format', ['get', 'gd/lobby', '-o', 'xml'], 2, /^holdfast: -o xml: must be table, json, yaml\n$/],
  ];
  test.each(refusals)('refused: %s', async (_, args, code, want) => {
    const said = await here.holdfast(args);
    expect(said.stderr).toMatch(want);
    expect(said.code).toBe(code);
  });

  test('get -w writes a page to a pipe when something has changed, and only then', async () => {
    const watch = here.watch(['get', 'gd/lobby', '-w']);
    const list = here.watch(['get', 'gd', '-w', '-o', 'json']);
    await eventually('it begins', () => watch.pages('GameDeployment ').length === 1, PATIENCE);
    await here.kubectl(['scale', 'gamedeployment/lobby', '--replicas=4']);
    const pages = await eventually('it shows the fourth pod', () => watch.pages('GameDeployment '), {
      ...PATIENCE,
      until: (all) => /: 4 of 4 ready, 1 updated/.test(all.at(-1) ?? ''),
    });
    expect(pages[0]).toMatch(/: 3 of 3 ready, 1 updated.*\n\nRollout 1: .*Paused for/);
    expect(pages.at(-1)).toMatch(/▶ +1 +pause +paused/);
    const replicas = () => list.pages('[').map((page) => JSON.parse(page)[0].spec.replicas);
    await eventually('the list shows it', replicas, { ...PATIENCE, until: (all) => all.at(-1) === 4 });
    expect(replicas()[0]).toBe(3);
    expect(list.pages('[').filter((page, at, all) => page === all[at - 1])).toEqual([]);
    await here.kubectl(['scale', 'gamedeployment/lobby', '--replicas=3']);
    for (const each of [watch, list]) expect(await each.end()).toBe('');
  });

  test('a look that fails while watching is said and tried again; the first one ends the command', async () => {
    const first = await here.holdfast(['get', 'gd/brief', '-w']);
    expect([first.code, first.stderr]).toEqual([1, expect.stringMatching(/^holdfast: There is no gamedeployment/)]);
    const brief = gameDeployment('brief', 'game:1');
    await here.kubectl(['apply', '-f', '-'], brief);
    const watch = here.watch(['get', 'gd/brief', '-w']);
    await eventually('it shows the object', () => watch.pages('GameDeployment ').length > 0, PATIENCE);
    await here.kubectl(['delete', 'gamedeployment/brief']);
    const gone = 'holdfast: There is no gamedeployment/brief in namespace default\n';
    await eventually('it says that it is gone', () => watch.text.includes(gone), PATIENCE);
    const before = watch.pages('GameDeployment ').length;
    await here.kubectl(['apply', '-f', '-'], brief);
    await eventually('it is there again', () => watch.pages('GameDeployment ').length > before, PATIENCE);
    expect(watch.text.split(gone)).toHaveLength(2);
    await watch.end();
    await here.kubectl(['delete', 'gamedeployment/brief']);
  });

  test('resume moves it on, and says what it waits for now', async () => {
    const { stdout, code } = await here.holdfast([
      'resume',
      'gd/lobby',
      '--step',
      '1',
      '--by',
      'ana',
      '--reason',
      'good',
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Resumed step 1\. /)]);
    await pausedAt(3);
    const { stdout: page } = await here.holdfast(['get', 'gd/lobby']);
    expect(page).toMatch(/^✔ +1 +pause +resumed +\w+ +ana$/m);
  });

  test('without a worker get shows what the status knows, and resume says that nobody answers', async () => {
    await controller.kill();
    const { stdout, code } = await here.holdfast(['get', 'gd/lobby']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/as the object's status says \(Temporal: .+\)/);
    expect(stdout).toMatch(/^▶ +3 +pause +paused/m);
    const said = await here.holdfast(['resume', 'gd/lobby']);
    expect([said.code, said.stderr]).toEqual([1, expect.stringMatching(/^holdfast: No answer to resume within 15 s/)]);
  });

  test('without Temporal get still shows it, and resume says what is missing', async () => {
    const nowhere = ['--temporal-address', '127.0.0.1:1'];
    const { stdout } = await here.holdfast(['get', 'gd/lobby', ...nowhere]);
    expect(stdout).toContain('(Temporal: Temporal does not answer at 127.0.0.1:1');
    expect(stdout).toMatch(/^▶ +3 +pause +paused/m);
    const said = await here.holdfast(['resume', 'gd/lobby', ...nowhere]);
    expect([said.code, said.stderr]).toEqual([1, expect.stringMatching(/^holdfast: Temporal does not answer/)]);
  });
});
