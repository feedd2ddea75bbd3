/** The servers a stack can run: the command line of each, what it needs, and how one sees that it works. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import type { ApiCall } from './api.ts';
import type { BinaryName } from './binaries.ts';
import { childEnvironment } from './child-environment.ts';
import type { Credentials } from './credentials.ts';
import { NODE_LABEL } from './nodes.ts';

/** In the order in which they start; each may need those before it. */
export const COMPONENT_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'temporal',
  'prometheus',
] as const;
export type ComponentName = (typeof COMPONENT_NAMES)[number];

export const PORT_NAMES = ['etcd', 'etcdPeer', 'apiserver', 'kwok', 'temporal', 'temporalUi', 'prometheus'] as const;
export type Ports = Record<(typeof PORT_NAMES)[number], number>;

const NEEDS: Partial<Record<ComponentName, readonly ComponentName[]>> = {
  'kube-apiserver': ['etcd'],
  'kube-controller-manager': ['kube-apiserver'],
  'kube-scheduler': ['kube-apiserver'],
  kwok: ['kube-apiserver'],
};

/** The components asked for and all they need, in the order of their start. */
export function withNeeded(wanted: readonly ComponentName[]): ComponentName[] {
  const all = new Set<ComponentName>();
  const add = (name: ComponentName) => {
    for (const needed of NEEDS[name] ?? []) add(needed);
    all.add(name);
  };
  wanted.forEach(add);
  return COMPONENT_NAMES.filter((name) => all.has(name));
}

export interface ServerContext {
  dir: string;
  ports: Ports;
  binaries: Record<BinaryName, string>;
  credentials: Credentials;
  api: ApiCall;
  components: readonly ComponentName[];
}

export interface ServerCommand {
  args: string[];
  isReady: () => Promise<boolean>;
  beforeStart?: () => Promise<void>;
}

/** The command line and readiness check of one component. */
export function describeServer(name: ComponentName, context: ServerContext): ServerCommand {
  return SERVERS[name](context);
}

const SERVERS: Record<ComponentName, (context: ServerContext) => ServerCommand> = {
  etcd: describeEtcd,
  'kube-apiserver': describeApiserver,
  'kube-controller-manager': describeControllerManager,
  'kube-scheduler': describeScheduler,
  kwok: describeKwok,
  temporal: describeTemporal,
  prometheus: describePrometheus,
};

function describeEtcd({ dir, ports }: ServerContext): ServerCommand {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    args: [
      '--name=devstack',
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=devstack=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    isReady: () => answers(`${client}/health`),
  };
}

function describeApiserver({ dir, ports, credentials, api, components }: ServerContext): ServerCommand {
  const args = [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.apiserver}`,
    `--cert-dir=${credentials.certDir}`,
    `--token-auth-file=${credentials.tokenFile}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/16',
    '--allow-privileged',
    // A loopback address may not be published as an endpoint.
    '--endpoint-reconciler-type=none',
    '--kubelet-preferred-address-types=InternalIP',
    `--audit-policy-file=${auditPolicyPath(dir)}`,
    `--audit-log-path=${auditLogPath(dir)}`,
    // One file: whoever follows it must not miss a rotation.
    '--audit-log-maxsize=0',
  ];
  // Nobody creates the default ServiceAccount without the controller-manager, and pods would be refused.
  if (!components.includes('kube-controller-manager')) args.push('--disable-admission-plugins=ServiceAccount');
  return { args, isReady: async () => (await api('GET', '/readyz')).status === 200 };
}

export function auditLogPath(dir: string): string {
  return join(dir, 'audit.jsonl');
}

/** Where the audit policy is written for the apiserver. */
export function auditPolicyPath(dir: string): string {
  return join(dir, 'audit-policy.yaml');
}

function describeControllerManager({ credentials, api }: ServerContext): ServerCommand {
  return {
    args: [
      `--kubeconfig=${credentials.kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      `--service-account-private-key-file=${credentials.serviceAccountKey}`,
      `--root-ca-file=${credentials.caFile}`,
      '--controllers=*,-certificatesigningrequest-approving-controller,-certificatesigningrequest-cleaner-controller',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
    ],
    isReady: async () => (await api('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
  };
}

function describeScheduler({ credentials }: ServerContext): ServerCommand {
  return {
    args: [
      `--kubeconfig=${credentials.kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
    ],
    isReady: async () => true,
  };
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

function describeKwok({ dir, ports, credentials, api }: ServerContext): ServerCommand {
  const address = `127.0.0.1:${ports.kwok}`;
  return {
    args: [
      `--kubeconfig=${credentials.kubeconfig}`,
      // By label, not by annotation: only then does kwok let go of a node that loses it.
      `--manage-nodes-with-label-selector=${NODE_LABEL}`,
      `--config=${stagesPath(dir)}`,
      `--server-address=${address}`,
      '--cidr=10.244.0.0/16',
      '--node-lease-duration-seconds=40',
      '--v=WARN',
    ],
    isReady: () => answers(`http://${address}/healthz`),
    // A kwok before this one still holds the nodes: they would stand still until its leases expire.
    beforeStart: async () => void (await api('DELETE', LEASES)),
  };
}

/** Where the composed stages are written for kwok. */
export function stagesPath(dir: string): string {
  return join(dir, 'stages.yaml');
}

/** No such file is ever made: programs that are pointed at it do not read what this user's home says of another Temporal. */
export const temporalConfigPath = (dir: string): string => join(dir, 'no-temporal.toml');

function describeTemporal({ dir, ports, binaries }: ServerContext): ServerCommand {
  const address = `127.0.0.1:${ports.temporal}`;
  return {
    args: [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${ports.temporal}`,
      `--ui-port=${ports.temporalUi}`,
      `--db-filename=${join(dir, 'temporal.db')}`,
      '--log-level=warn',
      // These two are worth 2.7 times the throughput.
      '--sqlite-pragma=journal_mode=WAL',
      '--sqlite-pragma=synchronous=NORMAL',
      // One process, one database: parts of a task queue would only hand tasks to each other.
      '--dynamic-config-value=matching.numTaskqueueReadPartitions=1',
      '--dynamic-config-value=matching.numTaskqueueWritePartitions=1',
    ],
    isReady: () => setRetention(binaries.temporal, address, dir),
  };
}

/** 30 days instead of one: a rollout may pause for days. Succeeds only when the server serves. */
async function setRetention(temporal: string, address: string, dir: string): Promise<boolean> {
  const command = ['operator', 'namespace', 'update', '--namespace=default', '--retention=720h'];
  const options = { timeout: 10_000, env: childEnvironment({ TEMPORAL_CONFIG_FILE: temporalConfigPath(dir) }) };
  await promisify(execFile)(temporal, [...command, `--address=${address}`], options);
  return true;
}

function describePrometheus({ dir, ports }: ServerContext): ServerCommand {
  const address = `127.0.0.1:${ports.prometheus}`;
  return {
    args: [
      `--config.file=${prometheusConfigPath(dir)}`,
      `--storage.tsdb.path=${join(dir, 'prometheus')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    isReady: () => answers(`http://${address}/-/ready`),
  };
}

export function prometheusConfigPath(dir: string): string {
  return join(dir, 'prometheus.yaml');
}

async function answers(url: string): Promise<boolean> {
  const answer = await request(url, { headersTimeout: 5_000 });
  await answer.body.dump();
  return answer.statusCode === 200;
}
