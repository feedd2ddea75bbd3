/** What people said to workflows about hooks: no audit log shows it, so a test that says something tells the judge. */

export interface SpokenWord {
  /** `<namespace>/<name>` of the workload. */
  workload: string;
  verb: string;
  /** The pod that it is about; absent: all. */
  pod?: string;
  /** When it was about to be said, and when it had been. */
  fromMs: number;
  toMs: number;
}

interface Subject {
  /** `<namespace>/<name>`, both. */
  workload: string;
  pod: string;
  failedMs: number;
  /** The write that is judged. */
  atMs: number;
  graceMs: number;
}

/** One of the verbs was said before the write, about a hook that had failed by then. */
export function isSpokenFor(
  words: readonly SpokenWord[],
  verbs: readonly string[],
  { workload, pod, failedMs, atMs, graceMs }: Subject,
): boolean {
  const name = pod.slice(pod.indexOf('/') + 1);
  return words.some(
    (word) =>
      verbs.includes(word.verb) &&
      word.workload === workload &&
      (word.pod === undefined || word.pod === name) &&
      word.fromMs <= atMs &&
      failedMs <= word.toMs + graceMs,
  );
}
