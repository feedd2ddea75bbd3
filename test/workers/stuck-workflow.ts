/** A workload whose workflow task always fails: a plain error is no failure of the workflow. */
export async function workload(): Promise<void> {
  throw new Error('this release cannot replay the run');
}
