/** Where a hook stands. `Terminated` (stopped by a person) and `Skipped` (never started) are no successes (decision 34). */
import { z } from 'zod';

export const hookPhaseSchema = z.enum([
  'Pending',
  'Running',
  'Successful',
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
  'Skipped',
]);

export type HookPhase = z.infer<typeof hookPhaseSchema>;
