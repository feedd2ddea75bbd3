/** The environment of programs that belong to a stack: whatever this machine says of other servers does not count. */

/** Settings of this machine that lead a program elsewhere: to another Temporal or cluster, or away from its defaults. */
const FOREIGN = /^(?:TEMPORAL_|ETCD_|KWOK_|KUBECTL_|KUBE_|KUBECONFIG$|HOLDFAST_(?!DEBUG$))/;

/** What a child of a stack is told: this process's environment without such settings, and `own`. */
export function childEnvironment(own: NodeJS.ProcessEnv, inherited = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !FOREIGN.test(name));
  // kubectl reads defaults of its flags from a file in the home directory unless told not to.
  return { ...Object.fromEntries(kept), KUBERC: 'off', ...own };
}
