/**
 * Starts real servers on free ports under one directory and hands out the means to use and to break them. Development,
 * tests and the demo all start their servers here.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type ApiCall, connectApi } from './api.ts';
import { type AuditDetail, composeAuditPolicy } from './audit-policy.ts';
import type { BinaryName } from './binaries.ts';
import { buildBinaries, type Log } from './build.ts';
import { writeCredentials } from './credentials.ts';
import { describeEnvironment, type Environment } from './environment.ts';
import { createNodes } from './nodes.ts';
import { findPorts } from './ports.ts';
import { type CrashListener, ServerProcess } from './process.ts';
import {
  auditLogPath,
  auditPolicyPath,
  COMPONENT_NAMES,
  type ComponentName,
  describeServer,
  PORT_NAMES,
  type Ports,
  prometheusConfigPath,
  type ServerContext,
  stagesPath,
  withNeeded,
} from './servers.ts';
import { composeStages } from './stages.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface DevstackOptions {
  /** Fake nodes to create when kwok runs; 3 unless told. */
  nodes?: number;
  /** The servers to start, with those they need; all unless told. */
  components?: readonly ComponentName[];
  /** Where everything is kept; unless told a temporary directory that `stop` removes. */
  dir?: string;
  /** What the audit log keeps of a write; its bodies, too, unless told. */
  audit?: AuditDetail;
  /** Receives progress, one line at a time. */
  log?: Log;
  /** Told when a server ends that nobody stopped. */
  onCrash?: CrashListener;
  /** Ends building and starting: what was started is stopped and `startDevstack` throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Devstack {
  /** What a process needs to use the stack: KUBECONFIG, TEMPORAL_ADDRESS, TEMPORAL_UI, PROMETHEUS_URL, … */
  env: Environment;
  dir: string;
  ports: Ports;
  /** One JSON event a line: the writes named in audit-policy.yaml. */
  auditLogPath: string;
  /** Prometheus scrapes the targets listed in this file (file_sd format: [{ targets, labels }]). */
  targetsPath: string;
  kubeconfig: string;
  /** Paths of kubectl, temporal and the servers. */
  binaries: Record<BinaryName, string>;
  /** A bare request to the apiserver as admin, for what a test does beside the code it tests. */
  api: ApiCall;
  /** One running server, to stop, kill, freeze or restart. @throws Error when this stack does not have it. */
  process(name: ComponentName): ServerProcess;
  /** The servers that run now. */
  running(): ServerProcess[];
  /** Ends every server and removes the temporary directory. */
  stop(): Promise<void>;
}

/** Builds what is missing, starts the servers and returns when all are ready. @throws Error that ends with the log that matters. */
export async function startDevstack(options: DevstackOptions = {}): Promise<Devstack> {
  const components = withNeeded(options.components ?? COMPONENT_NAMES);
  const log = options.log ?? (() => {});
  const binaries = await buildBinaries(binariesFor(components), log, options.signal);
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'holdfast-devstack-'));
  mkdirSync(dir, { recursive: true });
  const ports = await findPorts(PORT_NAMES);
  const credentials = writeCredentials(dir, ports.apiserver);
  const api = connectApi(credentials);
  const context: ServerContext = { dir, ports, binaries, credentials, api: api.call, components };
  writeConfigurations(dir, ports, options.audit ?? 'bodies');
  const watchdog = startWatchdog();
  const processes = makeProcesses(context, watchdog, options.onCrash ?? (() => {}));
  const isTemporary = options.dir === undefined;
  const end = async (keepDir: boolean) => {
    await endProcesses(processes);
    watchdog.close();
    await api.close();
    if (!keepDir) rmSync(dir, { recursive: true, force: true });
  };
  const start = async () => {
    await startInOrder(processes, log);
    if (processes.has('kwok')) await createNodes(api.call, options.nodes ?? 3);
  };
  try {
    await unlessAborted(start(), options.signal);
  } catch (error) {
    // A failure leaves its logs to be read.
    await end(!isTemporary || !options.signal?.aborted);
    throw error;
  }
  return {
    env: describeEnvironment(context),
    dir,
    ports,
    auditLogPath: auditLogPath(dir),
    targetsPath: targetsPath(dir),
    kubeconfig: credentials.kubeconfig,
    binaries,
    api: api.call,
    process: (name) => requireProcess(processes, name),
    running: () => [...processes.values()].filter(({ isRunning }) => isRunning),
    stop: () => end(!isTemporary),
  };
}

/** The outcome of `work`, or the signal's reason when that comes first. */
async function unlessAborted(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
  }
}

/** kubectl comes with every apiserver; the temporal CLI is the Temporal server. */
export function binariesFor(components: readonly ComponentName[]): BinaryName[] {
  return components.includes('kube-apiserver') ? ['kubectl', ...components] : [...components];
}

function targetsPath(dir: string): string {
  return join(dir, 'targets.json');
}

function writeConfigurations(dir: string, ports: Ports, audit: AuditDetail): void {
  mkdirSync(join(dir, 'logs'), { recursive: true });
  writeFileSync(auditPolicyPath(dir), composeAuditPolicy(audit));
  writeFileSync(stagesPath(dir), composeStages());
  writeFileSync(targetsPath(dir), '[]\n');
  const configuration = {
    global: { scrape_interval: '2s', scrape_timeout: '2s' },
    scrape_configs: [
      { job_name: 'prometheus', static_configs: [{ targets: [`127.0.0.1:${ports.prometheus}`] }] },
      { job_name: 'targets', file_sd_configs: [{ files: [targetsPath(dir)], refresh_interval: '5s' }] },
    ],
  };
  writeFileSync(prometheusConfigPath(dir), stringify(configuration));
}

type Processes = Map<ComponentName, ServerProcess>;

function makeProcesses(context: ServerContext, watchdog: Watchdog, onCrash: CrashListener): Processes {
  const processes: Processes = new Map();
  for (const name of context.components) {
    const logPath = join(context.dir, 'logs', `${name}.log`);
    const spec = { name, command: context.binaries[name], logPath, ...describeServer(name, context) };
    // kwok drops what it was doing when a write fails and has no resync, which a kubelet has.
    const afterRestart = async () => {
      const served = name === 'kube-apiserver' || (name === 'etcd' && processes.get('kube-apiserver')?.isRunning);
      if (served) await restartIfRunning(processes.get('kwok'));
    };
    processes.set(name, new ServerProcess({ ...spec, afterRestart }, watchdog, onCrash));
  }
  return processes;
}

async function restartIfRunning(server: ServerProcess | undefined): Promise<void> {
  if (server?.isRunning) await server.restart('SIGKILL');
}

function requireProcess(processes: Processes, name: ComponentName): ServerProcess {
  const server = processes.get(name);
  if (server === undefined) throw new Error(`this devstack runs no ${name}, only ${[...processes.keys()].join(', ')}`);
  return server;
}

/** Two chains at once: the cluster, where each server waits for the one before, and what stands alone. */
async function startInOrder(processes: Processes, log: Log): Promise<void> {
  const start = async (name: ComponentName) => {
    const server = processes.get(name);
    if (server === undefined) return;
    const started = performance.now();
    await server.start();
    log(`${name} is ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  const cluster = async () => {
    await start('etcd');
    await start('kube-apiserver');
    await Promise.all([start('kube-controller-manager'), start('kube-scheduler'), start('kwok')]);
  };
  const outcomes = await Promise.allSettled([cluster(), start('temporal'), start('prometheus')]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The apiserver and its store go last, and quickly: nobody is left to serve. */
async function endProcesses(processes: Processes): Promise<void> {
  const last: readonly ComponentName[] = ['kube-apiserver', 'etcd'];
  const others = [...processes].filter(([name]) => !last.includes(name));
  await Promise.all(others.map(([, server]) => server.stop(3_000)));
  for (const name of last) await processes.get(name)?.stop(1_000);
}
