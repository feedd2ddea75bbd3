/**
 * Sets with every hook of pods, every way to choose ordinals and every order, brought to another revision and scaled: none of them
 * is stuck (in-place-peers §6, 10).
 */
import { describe, expect, it } from 'vitest';
import type { GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import { GoldenPlay } from './golden-play.ts';
import { DRAIN } from './hook-desk.ts';
import { calm, completed, scale, template } from './script.ts';
import { set } from './story.ts';

const HOOKS: Record<string, Partial<GameStatefulSetSpec>> = {
  'no hook': {},
  'a hook before deletes': { preDeleteUpdateStrategy: DRAIN },
  'a hook before updates': { preInplaceUpdateStrategy: DRAIN },
  'a hook after updates': { postInplaceUpdateStrategy: DRAIN },
  'all hooks': {
    preDeleteUpdateStrategy: DRAIN,
    preInplaceUpdateStrategy: DRAIN,
    postInplaceUpdateStrategy: DRAIN,
  },
};
/** Reserved ordinals, and those that three pods have then. */
const ORDINALS: Record<string, { reserved: number[] | undefined; names: number[] }> = {
  'no list': { reserved: undefined, names: [0, 1, 2] },
  'an empty list': { reserved: [], names: [0, 1, 2] },
  'the first reserved': { reserved: [0], names: [1, 2, 3] },
  'one in the middle reserved': { reserved: [1], names: [0, 2, 3] },
  'several reserved': { reserved: [0, 2, 3], names: [1, 4, 5] },
};
const WAYS = (['OrderedReady', 'Parallel'] as const).flatMap((podManagementPolicy) =>
  (['RollingUpdate', 'InplaceUpdate'] as const).map((type) => ({ podManagementPolicy, type })),
);

const MATRIX = Object.entries(HOOKS).flatMap(([hook, spec]) =>
  Object.entries(ORDINALS).flatMap(([ordinals, { reserved, names }]) =>
    WAYS.map((way) => ({ hook, ordinals, ...way, spec, reserved, names })),
  ),
);

describe('report 10: hooks and ordinals', () => {
  it.each(MATRIX)(
    'report 10: $hook, $ordinals, $podManagementPolicy, $type',
    ({ hook, podManagementPolicy, type, spec, reserved, names }) => {
      const updateStrategy = { type, rollingUpdate: { maxUnavailable: 1 } };
      const story = set({
        ...{ name: 'hooks-and-ordinals', title: 'none is stuck' },
        spec: { replicas: 3, reserveOrders: reserved, podManagementPolicy, updateStrategy, ...spec },
        play: [template('r2'), completed, scale(2), calm, scale(3), calm],
      });
      const { ending, moments, violations, trace } = new GoldenPlay(story).run();
      expect(violations).toEqual([]);
      expect(moments.map(({ isDone }) => isDone)).toEqual([true, true, true]);
      const pods = names.map((ordinal) => `lobby-${ordinal} of r2 with game:2 and side:2`);
      expect(ending.slice(0, 3)).toEqual(pods);
      const isAsked = spec.preDeleteUpdateStrategy !== undefined || type === 'InplaceUpdate';
      expect(trace.includes('ask hook')).toBe(hook !== 'no hook' && isAsked);
    },
  );
});
