/**
 * Which arguments a HookRun gets: the template's, overridden by what its user gives and by facts of the pod
 * (game-workloads §2.8, decision 35). Pure.
 */

import type { HookArgument } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';

/** An argument that has its value. */
export interface GivenArgument {
  name: string;
  value: string;
}

/** `dropped` are given arguments that the template does not declare; they are to be named to the user, never passed on. */
export type ResolvedArguments =
  | { resolved: true; args: GivenArgument[]; dropped: string[] }
  | { resolved: false; unresolved: string[]; dropped: string[] };

/** A name that holds one of these words is passed on without being declared. */
const BUILT_IN_WORDS = ['PodName', 'PodNamespace', 'PodIP', 'HostIP', 'PodContainer', 'ModifiedContainer'];

/**
 * Merges in this order, the later wins: the template's own values, `given` by the hook step, `builtIns`. Without a value
 * left for some argument nothing may be created.
 */
export function resolveArguments(
  declared: readonly HookArgument[],
  given: readonly GivenArgument[],
  builtIns: readonly GivenArgument[] = [],
): ResolvedArguments {
  const values = new Map<string, string | undefined>(declared.map(({ name, value }) => [name, value]));
  const dropped: string[] = [];
  for (const { name, value } of [...given, ...builtIns]) {
    if (values.has(name) || isBuiltInArgument(name)) values.set(name, value);
    else if (!dropped.includes(name)) dropped.push(name);
  }
  const args: GivenArgument[] = [];
  const unresolved: string[] = [];
  for (const [name, value] of values) {
    if (value === undefined) unresolved.push(name);
    else args.push({ name, value });
  }
  return unresolved.length > 0 ? { resolved: false, unresolved, dropped } : { resolved: true, args, dropped };
}

/** One sentence for a condition: which arguments of the template are open. */
export function describeUnresolved(templateName: string, unresolved: readonly string[]): string {
  const names = unresolved.join(', ');
  return `HookTemplate ${templateName}: spec.args ${names} ${unresolved.length === 1 ? 'has' : 'have'} no value.`;
}

/**
 * The facts of a pod that a gate's hook may use. `PodContainer[i]` and `ModifiedContainer[i]` are container names; an
 * address the pod does not have yet is left out, so that a template which needs it is refused rather than run with none.
 */
export function podArguments(pod: Pod, modifiedContainers: readonly string[] = []): GivenArgument[] {
  const { metadata, spec, status } = pod;
  const facts: [string, string | undefined][] = [
    ['PodName', metadata.name],
    ['PodNamespace', metadata.namespace],
    ['PodIP', status?.podIP],
    ['HostIP', status?.hostIP],
    ...spec.containers.map(({ name }, index): [string, string] => [`PodContainer[${index}]`, name]),
    ...modifiedContainers.map((name, index): [string, string] => [`ModifiedContainer[${index}]`, name]),
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value }]));
}

/** Is it an argument that Holdfast may provide, and that need not be declared? */
export function isBuiltInArgument(name: string): boolean {
  return BUILT_IN_WORDS.some((word) => name.includes(word));
}
