/** Commands of `holdfast` and of Temporal's CLI as messages print them: to be pasted as they stand. */

interface Named {
  kind: string;
  metadata: { namespace?: string; name: string };
}

const DEFAULT_NAMESPACE = 'default';

/** What is kept of a Temporal namespace: nothing where commands look there by themselves. */
export const namedNamespace = (temporalNamespace?: string): { temporalNamespace?: string } =>
  temporalNamespace === undefined || temporalNamespace === DEFAULT_NAMESPACE ? {} : { temporalNamespace };

/** The flag that names a Temporal namespace, where one has to. */
function namespaceFlags(flag: string, namespace?: string): string[] {
  const { temporalNamespace } = namedNamespace(namespace);
  return temporalNamespace === undefined ? [] : [`${flag} ${temporalNamespace}`];
}

/** Goes before other flags of `holdfastCommand`. */
export const inTemporalNamespace = (namespace?: string): string[] => namespaceFlags('--temporal-namespace', namespace);

/** `temporal workflow describe -w gamedeployment/games/lobby --namespace staging` */
export const temporalCommand = (
  verb: string,
  workflowId: string,
  namespace: string | undefined,
  ...flags: string[]
): string =>
  [`temporal workflow ${verb} -w ${workflowId}`, ...namespaceFlags('--namespace', namespace), ...flags].join(' ');

/** `holdfast retry gamedeployment/lobby -n games --pod lobby-x7k2p` */
export const holdfastCommand = (verb: string, { kind, metadata }: Named, ...flags: string[]): string =>
  [`holdfast ${verb} ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace ?? 'default'}`, ...flags].join(' ');

export interface SignalOptions {
  step?: number;
  /** Where the workflow runs; absent: `default`. */
  temporalNamespace?: string;
}

/** `temporal workflow signal -w gamedeployment/games/lobby/rollout --name resume --input '{"step":1}'` */
export function signalText(workflowId: string, verb: string, { step, temporalNamespace }: SignalOptions): string {
  const input = step === undefined ? [] : [`--input '{"step":${step}}'`];
  return temporalCommand('signal', workflowId, temporalNamespace, `--name ${verb}`, ...input);
}
