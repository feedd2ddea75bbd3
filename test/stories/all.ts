/** Every story, of both kinds. */
import { CANARIES } from './canaries.ts';
import { DEPLOYMENTS } from './deployments.ts';
import { IN_PLACE_HOOKS } from './in-place-hooks.ts';
import { SCALING } from './scaling.ts';
import { STATEFUL_SETS } from './stateful-sets.ts';
import type { Story } from './story.ts';

export const STORIES: readonly Story[] = [...DEPLOYMENTS, ...SCALING, ...CANARIES, ...IN_PLACE_HOOKS, ...STATEFUL_SETS];
