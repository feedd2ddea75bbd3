/** Options that several commands share, named as kubectl and the Temporal CLI name them. */
import type { Command } from 'commander';

export interface ClusterFlags {
  kubeconfig?: string;
  context?: string;
}

export interface TemporalFlags {
  temporalAddress?: string;
  temporalNamespace?: string;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig (default: $KUBECONFIG, ~/.kube/config or the service account of the pod)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: the current one)');
}

export function addTemporalOptions(command: Command): Command {
  return command
    .option('--temporal-address <host:port>', 'address of Temporal (default: $TEMPORAL_ADDRESS or 127.0.0.1:7233)')
    .option(
      '--temporal-namespace <name>',
      'namespace in Temporal, one per cluster (default: $TEMPORAL_NAMESPACE or "default")',
    );
}

/** A workload as `<kind>/<name>` or `<kind> <name>`. */
export function addWorkloadArguments(command: Command): Command {
  return command
    .argument('<kind/name>', 'gamedeployment/<name> or gd/<name>, gamestatefulset/<name> or gsts/<name>')
    .argument('[name]');
}

/** What was typed for them, as `readTarget` takes it. */
export const typedWords = (kind: string, name: string | undefined): string[] =>
  name === undefined ? [kind] : [kind, name];

export function addNamespaceOption(command: Command): Command {
  return command.option(
    '-n, --namespace <name>',
    'namespace (default: that of the kubeconfig\'s context, else "default")',
  );
}
