/** Commands of `holdfast` as messages print them: to be pasted as they stand. */

interface Named {
  kind: string;
  metadata: { namespace?: string; name: string };
}

/** `holdfast retry gamedeployment/lobby -n games --pod lobby-x7k2p` */
export const holdfastCommand = (verb: string, { kind, metadata }: Named, ...flags: string[]): string =>
  [`holdfast ${verb} ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace ?? 'default'}`, ...flags].join(' ');
