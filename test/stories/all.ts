/** Every story, of both kinds. */
import { CANARIES } from './canaries.ts';
import { DEPLOYMENTS } from './deployments.ts';
import { SCALING } from './scaling.ts';
import { STATEFUL_SETS } from './stateful-sets.ts';
import type { Story } from './story.ts';

export const STORIES: readonly Story[] = [...DEPLOYMENTS, ...SCALING, ...CANARIES, ...STATEFUL_SETS];
