/**
 * The whole operator in one process: builds everything, checks what must be true, starts it in order and stops it in the
 * reverse order. Holds no rule of its own.
 */
import { randomBytes } from 'node:crypto';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { startGateOpener } from '../activities/gate-opener.ts';
import { createHookResources } from '../activities/hooks/resources.ts';
import { Lanes } from '../activities/lanes.ts';
import type { Ports } from '../activities/ports.ts';
import { createKubernetesClient, type KubernetesClient } from '../kubernetes/client.ts';
import { createEventRecorder } from '../kubernetes/event-recorder.ts';
import { checkKinds, checkLeaderLocks, readClusterUid } from './cluster.ts';
import { claimCluster, keepClaim } from './cluster-identity.ts';
import type { ControllerConfig } from './config.ts';
import { createDoorbellActivity } from './doorbell-election.ts';
import { type HealthSource, startHealthServer } from './health-server.ts';
import { temporalLogger } from './log.ts';
import { createMessenger } from './messenger.ts';
import { createMetrics, exposeTemporal, type Metrics } from './metrics.ts';
import { withPatience } from './patience.ts';
import { createRolloutRuns } from './rollout-runs.ts';
import { checkSearchAttributes, registerSearchAttributes } from './search-attributes.ts';
import { CannotStart, sayError } from './startup-error.ts';
import { startWatching, type Watching } from './stores.ts';
import { startTaskWorkers, type TaskWorkers } from './task-workers.ts';
import { connectTemporal, connectWorkers, type TemporalConnections } from './temporal.ts';
import { TemporalPulse } from './temporal-pulse.ts';
import { readVersion } from './version.ts';
import { tellBlockedRuns } from './watchers/blocked-runs.ts';
import { startDoorbell } from './watchers/doorbell.ts';
import { followLostRuns } from './watchers/lost-runs.ts';
import { createRinger } from './watchers/ringer.ts';
import { whatIsStale } from './watchers/staleness.ts';
import { unmatchedRuns } from './watchers/unmatched-runs.ts';
import { prepareWorkflowBundle } from './workflow-bundle.ts';
import { withWriteTimer } from './write-timer.ts';

export interface Controller {
  /** Where /metrics, /healthz and /readyz answer. */
  url: string;
  /** Resolves with the reason when it cannot go on. */
  failed: Promise<Error>;
  /** Lets writes end, then closes everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** Things to undo, the last first. */
type Undo = () => Promise<unknown> | unknown;

/** Returns when it works, however long Temporal is away. @throws CannotStart when it cannot, with everything closed again. */
export async function startController(config: ControllerConfig, log: Logger): Promise<Controller> {
  const undo: Undo[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const started = await start(config, log, undo);
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the health server tells while things come up. */
interface Parts {
  /** Why the API server cannot be used yet. */
  clusterProblem?: string;
  watching?: Watching;
  workers?: TaskWorkers;
  pulse: TemporalPulse;
}

async function start(config: ControllerConfig, log: Logger, undo: Undo[]): Promise<Omit<Controller, 'stop'>> {
  const metrics = createMetrics();
  const pulse = new TemporalPulse(log);
  undo.push(() => pulse.stop());
  const parts: Parts = { pulse };
  const server = await startHealthServer(config.listen, healthOf(parts, metrics));
  undo.push(() => server.stop());
  log.info({ url: server.url, version: readVersion() }, 'holdfast controller starts');
  const client = withWriteTimer(openCluster(config, undo), metrics.writeListeners);
  const ending = new AbortController();
  undo.push(() => ending.abort());
  const clusterUid = await waitForCluster(client, parts, log, ending.signal);
  const watching = startWatching({
    client,
    onError: (error) => log.error({ err: error }, 'a listener of a store failed'),
    onProblem: (resource, problem) => {
      metrics.watchFailed(resource);
      log.warn({ resource, problem: sayError(problem) }, 'a watch failed and is tried again');
    },
  });
  undo.push(() => watching.stop());
  parts.watching = watching;
  metrics.follow(watching.stores);
  exposeTemporal(metrics.registry, () => parts.workers !== undefined && pulse.problem === undefined);
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now() };
  const isAlone = () => pulse.problem !== undefined;
  const shared = { lanes: new Lanes(), gatesInHand: new Set<string>() };
  const gates = startGateOpener({ ...clock, ...shared, client, log, stores: watching.stores, isAlone });
  undo.push(() => gates.stop());
  const syncWithin = AbortSignal.any([ending.signal, AbortSignal.timeout(SYNC_WITHIN_MS)]);
  const [temporal, bundlePath] = await Promise.all([
    pulse.reach(() => openTemporal(config, clusterUid)),
    prepareWorkflowBundle(process.env, temporalLogger(log, 'warn')),
    watching.whenSynced(syncWithin).catch(refuseUnsynced),
  ]);
  undo.push(() => temporal.close());
  pulse.follow(() => pingAndKeep(temporal, clusterUid, log));
  const workers = await startWork({ config, log, client, temporal, watching, metrics, shared, bundlePath, undo });
  parts.workers = workers;
  log.info(
    { url: server.url, temporal: temporal.address, namespace: temporal.namespace },
    'holdfast controller is ready',
  );
  return { url: server.url, failed: workers.failed };
}

const SYNC_WITHIN_MS = 120_000;

function refuseUnsynced(cause: unknown): never {
  throw new CannotStart(`The cluster could not be read within ${SYNC_WITHIN_MS / 1000} s: look at the log above`, {
    cause,
  });
}

function openCluster(config: ControllerConfig, undo: Undo[]): KubernetesClient {
  const { kubeconfigPath, context, writes } = config;
  const client = createKubernetesClient({ kubeconfigPath, context, writes, userAgent: `holdfast/${readVersion()}` });
  undo.push(() => client.close());
  return client;
}

/** What must be true of the cluster, as soon as its API server answers. */
async function waitForCluster(client: KubernetesClient, parts: Parts, log: Logger, signal: AbortSignal) {
  const isPassing = (error: unknown) => error instanceof CannotStart && error.isPassing;
  const onProblem = (problem: string) => {
    parts.clusterProblem = problem;
    log.warn({ problem }, 'the API server is waited for');
  };
  const clusterUid = await withPatience(() => checkCluster(client), { isPassing, onProblem, signal });
  delete parts.clusterProblem;
  return clusterUid;
}

async function checkCluster(client: KubernetesClient): Promise<string> {
  const clusterUid = await readClusterUid(client);
  await checkKinds(client);
  await checkLeaderLocks(client, Date.now());
  return clusterUid;
}

interface Temporal extends TemporalConnections {
  native: NativeConnection;
}

/** All that is needed of Temporal before work begins, or nothing. */
async function openTemporal(config: ControllerConfig, clusterUid: string): Promise<Temporal> {
  const temporal = await connectTemporal(config);
  try {
    if (config.registerSearchAttributes) await registerSearchAttributes(temporal);
    await checkSearchAttributes(temporal);
    await claimCluster(temporal.client, clusterUid);
    const native = await connectWorkers(config);
    const close = () => Promise.all([native.close(), temporal.close()]).then(() => undefined);
    return { ...temporal, native, close };
  } catch (error) {
    await temporal.close();
    throw error;
  }
}

/** Whoever rings is elected by a workflow: where it is gone, all processes would listen and none ring. */
async function pingAndKeep(temporal: Temporal, clusterUid: string, log: Logger): Promise<void> {
  await temporal.ping();
  if (await keepClaim(temporal.client, clusterUid))
    log.warn({}, 'the doorbell workflow did not run, and was started again');
}

interface Work {
  config: ControllerConfig;
  log: Logger;
  client: KubernetesClient;
  temporal: Temporal;
  watching: Watching;
  metrics: Metrics;
  /** Shared by activities and gate opener. */
  shared: Pick<Ports, 'lanes' | 'gatesInHand'>;
  bundlePath: string;
  undo: Undo[];
}

async function startWork(work: Work): Promise<TaskWorkers> {
  const { config, log, temporal, watching, metrics, bundlePath, undo } = work;
  const { stores } = watching;
  const ports = makePorts(work);
  const ring = createRinger({ client: temporal.client, stores });
  const open = () =>
    startDoorbell({
      ...{ stores, ring, log, onRung: metrics.bellRung },
      stale: () => whatIsStale(ports),
      tellBlocked: () => tellBlockedRuns({ ...ports, temporal: temporal.client }),
      unmatched: () => unmatchedRuns({ temporal: temporal.client, stores }),
      lost: followLostRuns({ temporal: temporal.client, nowMs: Date.now }),
    });
  const canSee = () => [stores.gameDeployments, stores.gameStatefulSets, stores.pods].every((store) => store.isFresh());
  const onElected = (isElected: boolean) => {
    metrics.setElected(isElected);
    log.info({}, isElected ? 'this process rings the bells' : 'this process rings the bells no longer');
  };
  const doorbell = createDoorbellActivity({ open, canSee, onElected });
  const { namespace, native: connection } = temporal;
  const workers = await startTaskWorkers({ connection, namespace, bundlePath, config, ports, doorbell });
  undo.push(() => workers.stop());
  return workers;
}

function makePorts({ config, log, client, temporal, watching, metrics, shared, undo }: Work) {
  const hooks = createHookResources(client, config.hooks);
  undo.push(() => hooks.agents.close());
  const onProblem = (error: unknown) => log.warn({ problem: sayError(error) }, 'an event could not be written');
  const recorder = createEventRecorder({ client, controller: 'holdfast', instance: config.identity, onProblem });
  undo.push(() => recorder.flush());
  return {
    ...{ client, log, metrics, recorder, ...hooks, stores: watching.stores },
    nowMs: Date.now,
    monotonicMs: () => performance.now(),
    newSeed: () => randomBytes(8).toString('hex'),
    ...shared,
    runs: createRolloutRuns(temporal.client),
    messenger: createMessenger(temporal.client),
  };
}

function healthOf(parts: Parts, { registry }: Metrics): HealthSource {
  const unsynced = () =>
    Object.entries(parts.watching?.stores ?? {})
      .filter(([, store]) => !store.isSynced || !store.isFresh())
      .map(([name]) => `the store of ${name} is not current`);
  const isRunning = () => parts.workers?.areRunning() === true;
  const problems = () => [parts.clusterProblem, parts.pulse.problem].filter((problem) => problem !== undefined);
  return {
    unhealthy: () => (parts.workers === undefined || isRunning() ? [] : ['a worker does not run']),
    unready: () => [...(isRunning() ? [] : ['the workers do not run yet']), ...problems(), ...unsynced()],
    metrics: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
