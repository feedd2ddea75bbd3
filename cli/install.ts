/**
 * `holdfast install`: what a cluster and a Temporal namespace need before a controller can start. Everything is applied on
 * the server's side, so that running it again changes nothing.
 */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { API_GROUP } from '../crds/api.ts';
import { KIND_DEFINITIONS, toCustomResourceDefinition } from '../crds/definition.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { deleteProtectionObjects } from '../deploy/delete-protection.ts';
import { hookKindObjects, rbacObjects } from '../deploy/rbac.ts';
import { writePausedObjects } from '../deploy/write-paused.ts';
import { createKubernetesClient, type KubernetesClient } from '../kubernetes/client.ts';
import { customResourceDefinitions, namespaces, type ResourceType } from '../kubernetes/resource-types.ts';
import { readConfig } from '../workers/config.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import { addClusterOptions, addTemporalOptions, type ClusterFlags, type TemporalFlags } from './options.ts';
import { untilTrue } from './until.ts';

interface InstallFlags extends ClusterFlags, TemporalFlags {
  deleteProtection?: boolean;
  hookKinds?: string;
  writePaused?: boolean;
  dryRun?: boolean;
  temporal: boolean;
}

const ESTABLISHED_WITHIN_MS = 30_000;

const ofCluster = (group: string, plural: string, kind: string): ResourceType => ({
  ...{ group, version: 'v1', plural, kind, namespaced: false },
});
const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
/** Where objects of each kind are applied. */
const TYPES: Readonly<Record<string, ResourceType>> = {
  CustomResourceDefinition: customResourceDefinitions,
  Namespace: namespaces,
  ServiceAccount: { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  ClusterRole: ofCluster(RBAC, 'clusterroles', 'ClusterRole'),
  ClusterRoleBinding: ofCluster(RBAC, 'clusterrolebindings', 'ClusterRoleBinding'),
  ValidatingAdmissionPolicy: ofCluster(ADMISSION, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  ValidatingAdmissionPolicyBinding: ofCluster(
    ADMISSION,
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
  ),
};

const EXAMPLES = `
Examples:
  holdfast install                       CRDs, RBAC and Temporal's search attributes
  holdfast install --no-temporal         only what belongs to the cluster
  holdfast install --delete-protection   refuses deletes that io.tencent.bcs.dev/deletion-allow does not allow, from now on
  holdfast install --hook-kinds deployments.v1.apps=Deployment,configmaps.v1=ConfigMap
                                         lets the provider kubernetes of hooks ask for more than pods
  holdfast install --write-paused        lets the controller set paused: true where holdfast.dev/write-paused asks for it
  holdfast install --dry-run             prints the manifests and changes nothing`;

export function addInstallCommand(program: Command): void {
  const command = program
    .command('install')
    .description("Applies CRDs and RBAC to the cluster and registers Temporal's search attributes; safe to repeat.")
    .option('--dry-run', 'print the manifests instead')
    .option('--no-temporal', 'leave Temporal alone')
    .option('--delete-protection', 'also apply deploy/delete-protection.yaml; kubectl delete -f ends it')
    .option('--hook-kinds <kinds>', 'also let hooks read and annotate these kinds; the controller needs the same flag')
    .option('--write-paused', 'also apply deploy/write-paused.yaml; kubectl delete -f ends it')
    .addHelpText('after', EXAMPLES);
  addTemporalOptions(addClusterOptions(command)).action((flags: InstallFlags) => install(flags));
}

async function install(flags: InstallFlags): Promise<void> {
  const crds = KIND_DEFINITIONS.map((definition) => toCustomResourceDefinition(definition) as KubernetesObject);
  const protection = flags.deleteProtection === true ? deleteProtectionObjects() : [];
  const { hooks } = readConfig({ 'hook-kinds': flags.hookKinds }, process.env);
  const pauses = flags.writePaused === true ? writePausedObjects() : [];
  const objects = [...crds, ...rbacObjects(), ...hookKindObjects(hooks.kinds), ...protection, ...pauses];
  if (flags.dryRun === true) {
    const documents = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
    process.stdout.write(documents.join('---\n'));
    return;
  }
  const client = createKubernetesClient({ kubeconfigPath: flags.kubeconfig, context: flags.context });
  try {
    for (const object of objects) await apply(client, object);
    await Promise.all(crds.map(({ metadata }) => whenEstablished(client, metadata.name)));
    say(`the kinds of ${API_GROUP} are established`);
  } finally {
    await client.close();
  }
  if (flags.temporal) await installTemporal(flags);
}

/** A busy API server takes its time over a CRD; nobody's pods wait for it. */
const APPLY_WITHIN_MS = 50_000;

async function apply(client: KubernetesClient, object: KubernetesObject): Promise<void> {
  const type = TYPES[object.kind ?? ''];
  if (type === undefined) throw new Error(`install does not know ${object.kind}`);
  try {
    const patch = { kind: 'apply', body: object, force: true } as const;
    await client.patch(type, object.metadata, patch, { timeoutMs: APPLY_WITHIN_MS });
    say(`${object.kind} ${object.metadata.name} applied`);
  } catch (cause) {
    throw new CannotStart(`${object.kind} ${object.metadata.name} was not applied: ${sayError(cause)}`, { cause });
  }
}

interface Definition extends KubernetesObject {
  status?: { conditions?: { type: string; status: string }[] };
}

async function whenEstablished(client: KubernetesClient, name: string): Promise<void> {
  const isEstablished = async () => {
    const { status }: Definition = await client.get(customResourceDefinitions, { name });
    return (
      status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true
    );
  };
  if (await untilTrue(isEstablished, ESTABLISHED_WITHIN_MS)) return;
  throw new CannotStart(
    `CRD ${name} is not established after ${ESTABLISHED_WITHIN_MS / 1000} s: kubectl describe crd ${name}`,
  );
}

async function installTemporal(flags: TemporalFlags): Promise<void> {
  const [{ connectTemporal }, { registerSearchAttributes }] = await Promise.all([
    import('../workers/temporal.ts'),
    import('../workers/search-attributes.ts'),
  ]);
  const temporal = await connectTemporal({ ...flags, identity: 'holdfast install' });
  try {
    const names = await registerSearchAttributes(temporal);
    const what = names.length === 0 ? 'are registered already' : `registered: ${names.join(', ')}`;
    say(`search attributes in Temporal's namespace ${temporal.namespace} ${what}`);
  } finally {
    await temporal.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
