/** How a workload refers to a HookTemplate: as a canary step or as a gate of one pod. */
import { z } from 'zod';
import { count, objectName } from './primitives.ts';

const hookStepArgument = z.object({ name: z.string().min(1).max(253), value: z.string().max(65_536) });

export const hookStepSchema = z.object({
  templateName: objectName.meta({ description: 'Name of a HookTemplate in the same namespace.' }),
  args: z.array(hookStepArgument).max(64).optional(),
  activeDeadlineSeconds: count
    .min(1)
    .optional()
    .meta({ description: 'Past it the run ends with Error; wins over the one of the template.' }),
  ttlSecondsAfterFinished: count
    .optional()
    .meta({ description: 'When a finished run is deleted; wins over the one of the template.' }),
});

/** A gate: `retry` turning true runs failed gates once more. */
export const podHookSchema = z.object({
  hook: hookStepSchema.optional(),
  retry: z.boolean().optional(),
});

export type HookStepArgument = z.infer<typeof hookStepArgument>;
export type HookStep = z.infer<typeof hookStepSchema>;
export type PodHook = z.infer<typeof podHookSchema>;
