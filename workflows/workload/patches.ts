/** Where runs of before are replayed by the rules of their time (`temporal workflow show` tells by its marker which are meant). */
import { patched } from '@temporalio/workflow';

/** Waves end early when they are forbidden, and reports beside waves grow rare (docs/adr/0006 and 0009). */
export const wavesEndEarly = (): boolean => patched('waves-end-early');

/** Pauses are written into specs that ask for it (docs/adr/0014). Asked only where there is something to write. */
export const writesPauses = (): boolean => patched('write-paused');

/** `abort` is a word about hooks of pods: before, a workload took no notice of it (docs/adr/0016). */
export const abortsHooks = (): boolean => patched('aborts-hooks');

/** Of a pause in the spec it is remembered that it was lifted when it was over, or is being taken back (docs/adr/0014). */
export const remembersPauses = (): boolean => patched('remembers-pauses');
