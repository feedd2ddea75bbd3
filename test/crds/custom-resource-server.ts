/** An API server with our kinds, as a user gets it: the generated files applied by kubectl. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { API_GROUP, API_VERSION_NAME } from '../../crds/api.ts';
import { KIND_DEFINITIONS } from '../../crds/definition.ts';
import { startDevstack } from '../../devstack/stack.ts';
import type { Manifest } from './objects.ts';

/** Where the generated files are. */
export const GENERATED = resolve(import.meta.dirname, '../../crds/generated');

export interface KubectlResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Answer {
  status: number;
  body: unknown;
}

export interface CustomResourceServer {
  kubectl(args: string[], stdin?: string): Promise<KubectlResult>;
  /** What a create would answer; nothing is kept. */
  tryCreate(object: Manifest): Promise<Answer>;
  /** Replaces the status and answers with the object. */
  writeStatus(object: Manifest & { status?: object }): Promise<Answer>;
  stop(): Promise<void>;
}

/** @throws Error with kubectl's answer when a CRD is not taken. */
export async function startCustomResourceServer(): Promise<CustomResourceServer> {
  const stack = await startDevstack({ components: ['kube-apiserver'] });
  const kubectl = (args: string[], stdin?: string) =>
    run(stack.binaries.kubectl, ['--kubeconfig', stack.kubeconfig, ...args], stdin);
  const names = KIND_DEFINITIONS.map(({ plural }) => `crd/${plural}.${API_GROUP}`);
  for (const args of [
    ['apply', '-f', GENERATED],
    ['wait', '--for=condition=Established', '--timeout=30s', ...names],
  ]) {
    const applied = await kubectl(args);
    if (applied.code === 0) continue;
    await stack.stop();
    throw new Error(`kubectl ${args.join(' ')}: ${applied.stderr}`);
  }
  return {
    kubectl,
    tryCreate: (object) => stack.api('POST', `${collectionOf(object)}?dryRun=All&fieldValidation=Strict`, object),
    writeStatus: (object) =>
      stack.api('PATCH', `${collectionOf(object)}/${object.metadata.name}/status?fieldValidation=Strict`, object),
    stop: stack.stop,
  };
}

function collectionOf({ kind }: Manifest): string {
  const plural = KIND_DEFINITIONS.find((definition) => definition.kind === kind)?.plural ?? kind;
  return `/apis/${API_GROUP}/${API_VERSION_NAME}/namespaces/default/${plural}`;
}

function run(file: string, args: string[], stdin = ''): Promise<KubectlResult> {
  return new Promise((answer) => {
    const child = execFile(file, args, { timeout: 60_000 }, (error, stdout, stderr) => {
      answer({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    child.stdin?.end(stdin);
  });
}
