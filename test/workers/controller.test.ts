/** The controller as a process on real servers: what keeps it from starting, what it does, how it stops and is replaced. */

import { createServer } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ControllerProcess } from '../faults/process.ts';
import { makeCertificate } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from './installation.ts';
import { changedKubeconfig, kubeconfigOfServiceAccount } from './kubeconfigs.ts';
import { playSet } from './rights.ts';

let here: Installation;
const running: ControllerProcess[] = [];

const start = async (env?: Record<string, string>) => {
  const controller = await here.controller(env);
  running.push(controller);
  return controller;
};

beforeAll(async () => {
  here = await Installation.open();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') for (const controller of running) console.error(controller.tail(80));
  await Promise.all(running.splice(0).map((controller) => controller.kill()));
});
afterAll(async () => {
  await here.close();
});

/** Two cores are shared by five servers and whatever else runs. */
const PATIENCE = { timeoutMs: 90_000, intervalMs: 500 };

const readyPods = async (name: string): Promise<number> => {
  const list = JSON.parse(await here.kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'json']));
  return list.items.filter(({ status }: { status: { conditions?: { type: string; status: string }[] } }) =>
    status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  ).length;
};

const fetchText = async (url: string) => (await request(url)).body.text();

describe('what keeps it from starting', () => {
  const refuses = async (args: string[], env: Record<string, string>, code: number, want: RegExp) => {
    const said = await here.holdfast(['controller', '--listen', '127.0.0.1:0', ...args], env);
    expect(said.stderr).toMatch(want);
    expect(said.stderr).not.toContain('    at ');
    expect(said.code).toBe(code);
  };

  test('a wrong value', () => refuses(['--write-qps', 'many'], {}, 2, /^holdfast: --write-qps is "many": must be/));
  test('no kubeconfig', () =>
    refuses([], { KUBECONFIG: '/does/not/exist' }, 1, /^holdfast: The Kubernetes API server cannot/));
  test('a certificate of the API server that is not accepted', async () => {
    const KUBECONFIG = await changedKubeconfig(here, 'foreign', ({ clusters: [{ cluster }] }) => {
      delete cluster['certificate-authority'];
      cluster['certificate-authority-data'] = Buffer.from(makeCertificate({ name: 'foreign' }).cert).toString('base64');
    });
    await refuses(
      [],
      { KUBECONFIG },
      1,
      /^holdfast: The Kubernetes API server cannot be used: .* certificate not accep/,
    );
  });
  test('missing CRDs', () => refuses([], {}, 1, /^holdfast: CRDs are missing .* run `holdfast install`\n$/));

  describe('once the cluster is prepared', () => {
    beforeAll(async () => {
      const { code, stderr } = await here.holdfast(['install', '--no-temporal']);
      expect([code, stderr]).toEqual([0, '']);
    });

    test('no such namespace in Temporal', () =>
      refuses(
        ['--temporal-namespace', 'nowhere'],
        {},
        1,
        /^holdfast: Temporal at .* refuses its namespace nowhere: .*; create it with `temporal operator namespace create --namespace nowhere /,
      ));
    test('missing search attributes, with the command for each', () =>
      refuses([], {}, 1, /search-attribute create --namespace default --name HoldfastStep --type Int/));
    test('a search attribute of another type', async () => {
      await here.temporal(['operator', 'namespace', 'create', '-n', 'other-types']);
      const create = ['search-attribute', 'create', '-n', 'other-types', '--name', 'HoldfastStep', '--type', 'Keyword'];
      const said = /search attribute HoldfastStep is not of type Int\b/;
      await here.temporal(['operator', ...create]);
      const args = ['--temporal-namespace', 'other-types'];
      await eventually(
        'the attribute is known',
        () => here.temporal(['operator', 'search-attribute', 'list', '-n', 'other-types']),
        {
          until: (list) => list.includes('HoldfastStep'),
        },
      );
      await refuses(args, {}, 1, said);
      await refuses([...args, '--register-search-attributes'], {}, 1, said);
    });

    test('an address that is taken', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      const port = await eventually('it listens', () => (server.address() as { port: number } | null)?.port);
      await refuses(['--listen', `127.0.0.1:${port}`], {}, 1, /^holdfast: Cannot listen on 127.0.0.1:\d+ \(--listen\)/);
      server.close();
    });

    test('a fresh leader lock of the existing operator, until it is given back', async () => {
      const lease = (holderIdentity: string) => ({
        ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
        metadata: { name: 'gamedeployment-operator', namespace: 'bcs-system' },
        spec: { holderIdentity, leaseDurationSeconds: 3600, renewTime: `${new Date().toISOString().slice(0, -1)}000Z` },
      });
      await here.kubectl(['create', 'namespace', 'bcs-system']);
      await here.kubectl(['apply', '-f', '-'], lease('old-0'));
      await refuses([], {}, 1, /^holdfast: gamedeployment-operator is running .* held by old-0/);
      await here.kubectl(['apply', '-f', '-'], lease(''));
      await refuses([], {}, 1, /search-attribute/);
    });

    test('a Temporal namespace of another cluster', async () => {
      await here.temporal(['operator', 'namespace', 'create', '-n', 'taken']);
      const connection = await Connection.connect({ address: here.stack.env.TEMPORAL_ADDRESS });
      const { workflow } = new Client({ connection, namespace: 'taken' });
      const memo = { clusterUid: 'another' };
      const doorbell = { workflowId: 'holdfast/doorbell', taskQueue: 'holdfast', memo };
      await eventually('the namespace takes workflows', () => workflow.start('doorbell', doorbell));
      await connection.close();
      const args = ['--temporal-namespace', 'taken', '--register-search-attributes'];
      await refuses(
        args,
        {},
        1,
        /belongs to another cluster \(kube-system another, not .*`temporal workflow terminate -w holdfast\/doorbell --namespace taken`/,
      );
    });
  });
});

const untilItSays = (url: string, want: string) =>
  eventually(`/readyz says "${want}"`, () => fetchText(`${url}/readyz`).catch(() => ''), {
    ...PATIENCE,
    until: (text) => text.includes(want),
  });

test('while the API server is away a controller waits, says for what, and ends when it is asked to', async () => {
  const KUBECONFIG = await changedKubeconfig(here, 'away', ({ clusters }) => {
    clusters[0].cluster.server = 'https://127.0.0.1:1';
  });
  const controller = await here.begin({ KUBECONFIG });
  running.push(controller);
  await untilItSays(controller.url, 'The Kubernetes API server cannot be used');
  expect(await controller.stop()).toEqual({ code: 0, signal: null });
});

describe('while Temporal is away', () => {
  beforeAll(async () => {
    const { code, stderr } = await here.holdfast(['install']);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('a controller waits, says for what, and ends when it is asked to', async () => {
    const controller = await here.begin({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    running.push(controller);
    await untilItSays(controller.url, 'Temporal does not answer at 127.0.0.1:1 (set TEMPORAL_ADDRESS)');
    expect(await fetchText(`${controller.url}/healthz`)).toBe('ok\n');
    expect(await controller.stop()).toEqual({ code: 0, signal: null });
  });

  test('one that starts opens the gate of a pod whose update is complete, and goes on when Temporal is back', async () => {
    const first = await start();
    const annotations = { 'holdfast.dev/kwok-restart-delay': '5s' };
    await here.kubectl(['apply', '-f', '-'], gameDeployment('calm', 'game:1', {}, annotations));
    await eventually('three pods are ready', () => readyPods('calm'), { ...PATIENCE, until: (ready) => ready === 3 });
    await here.kubectl(['apply', '-f', '-'], gameDeployment('calm', 'game:2', {}, annotations));
    const imagesOf = (path: string) => here.kubectl(['get', 'pods', '-l', 'app=calm', '-o', `jsonpath={${path}}`]);
    const spec = '.items[*].spec.containers[0].image';
    await eventually('a pod is given its image', () => imagesOf(spec), { until: (text) => text.includes('game:2') });
    await Promise.all([first.kill(), here.stack.process('temporal').stop()]);
    const status = '.items[*].status.containerStatuses[0].image';
    const isRestarted = (text: string) => text.includes('game:2');
    await eventually('its container is restarted', () => imagesOf(status), { ...PATIENCE, until: isRestarted });
    expect(await readyPods('calm')).toBe(2);
    const second = await here.begin();
    running.push(second);
    await eventually('it is in service again', () => readyPods('calm'), { ...PATIENCE, until: (ready) => ready === 3 });
    await untilItSays(second.url, 'Temporal does not answer');
    await here.stack.process('temporal').restart();
    await second.whenReady();
    await eventually('all are updated', () => imagesOf(status), {
      ...PATIENCE,
      until: (text) => text.split(' ').every((image) => image.endsWith('game:2')),
    });
  });
});

describe('once it is installed', () => {
  beforeAll(async () => {
    const { code, stderr } = await here.holdfast(['install']);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('three replicas become three ready pods, and the status says so', async () => {
    const controller = await start();
    await here.kubectl(['apply', '-f', '-'], gameDeployment('lobby', 'game:1'));
    await eventually('three pods are ready', () => readyPods('lobby'), { ...PATIENCE, until: (ready) => ready === 3 });
    await here.kubectl(['wait', 'gamedeployment/lobby', '--for=condition=Ready', '--timeout=90s']);
    const events = () =>
      here.kubectl(['get', 'events', '-o', 'jsonpath={range .items[*]}{.reason}/{.involvedObject.name} {end}']);
    await eventually('an event tells of the pods', events, {
      ...PATIENCE,
      until: (text) => text.includes('SuccessfulCreate/lobby'),
    });
    expect(await fetchText(`${controller.url}/healthz`)).toBe('ok\n');
    const metrics = await fetchText(`${controller.url}/metrics`);
    expect(metrics).toMatch(/holdfast_moves_total\{act="create",result="done"\} 3/);
    expect(metrics).toMatch(/holdfast_doorbell_elected 1/);
    expect(metrics).toMatch(/bkbcs_gamedeployment_ready_replicas\{namespace="default",gd="lobby"\} 3/);
    expect(metrics).toMatch(/bkbcs_gamedeployment_pod_create_duration_seconds_count\{.*status="success"\} 3/);
    await controller.stop();
    expect(await controller.exited).toEqual({ code: 0, signal: null });
  });

  test('with the rights of deploy/rbac.yaml and no more it creates, updates and deletes', async () => {
    const controller = await start({ KUBECONFIG: await kubeconfigOfServiceAccount(here) });
    await here.kubectl(['apply', '-f', '-'], gameDeployment('rights', 'game:1'));
    await eventually('three pods are ready', () => readyPods('rights'), { ...PATIENCE, until: (ready) => ready === 3 });
    await here.kubectl(['apply', '-f', '-'], gameDeployment('rights', 'game:2'));
    const updated = () =>
      here.kubectl([
        'get',
        'gamedeployment/rights',
        '-o',
        'jsonpath={.status.updatedReadyReplicas}/{.status.currentRevision}/{.status.updateRevision}',
      ]);
    await eventually('the update is through', updated, {
      ...PATIENCE,
      until: (text) => /^3\/(.+)\/\1$/.test(text),
    });
    await here.kubectl(['scale', 'gamedeployment/rights', '--replicas=1']);
    await eventually('one pod is left', () => readyPods('rights'), { ...PATIENCE, until: (ready) => ready === 1 });
    expect(controller.lines.filter((line) => line.includes('forbidden'))).toEqual([]);
  });

  test('with the same rights a GameStatefulSet gets its claims, is updated in place, and has a pod of a lost node given up', async () => {
    const controller = await start({ KUBECONFIG: await kubeconfigOfServiceAccount(here) });
    await playSet(here);
    expect(controller.lines.filter((line) => /forbidden|is not allowed/i.test(line))).toEqual([]);
  });

  test('an object that is deleted ends its workflow', async () => {
    await start();
    await here.kubectl(['apply', '-f', '-'], gameDeployment('brief', 'game:1'));
    await eventually('three pods are ready', () => readyPods('brief'), { ...PATIENCE, until: (ready) => ready === 3 });
    await here.kubectl(['delete', 'gamedeployment/brief', '--wait=false']);
    const describeRun = () =>
      here.temporal(['workflow', 'describe', '-w', 'gamedeployment/default/brief', '-o', 'json']);
    await eventually('its workflow is completed', describeRun, {
      ...PATIENCE,
      until: (text) => text.includes('STATUS_COMPLETED'),
    });
  });

  test('when the process that rings is killed, the other one takes over', async () => {
    const both = [await start(), await start()];
    const isElected = async ({ url }: { url: string }) =>
      (await fetchText(`${url}/metrics`)).includes('holdfast_doorbell_elected 1');
    const elected = await eventually(
      'one of them rings',
      async () => {
        const answers = await Promise.all(both.map(isElected));
        return both[answers.indexOf(true)];
      },
      PATIENCE,
    );
    await elected.kill();
    await here.kubectl(['apply', '-f', '-'], gameDeployment('after', 'game:1'));
    await eventually('three pods are ready', () => readyPods('after'), {
      until: (ready) => ready === 3,
    });
  });
});
