import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/update-strategy.ts';
import { hashSteps, toSteps } from './steps-hash.ts';

describe('hashSteps', () => {
  it.each<[string, CanaryStep[], CanaryStep[]]>([
    ['the order of keys', [{ partition: 1, pause: {} }], [{ pause: {}, partition: 1 }]],
    [
      'a field that a later release adds and nobody sets',
      [{ partition: 1 }],
      [{ partition: 1, later: undefined } as CanaryStep],
    ],
  ])('is not changed by %s', (_name, left, right) => {
    expect(hashSteps(left)).toBe(hashSteps(right));
  });

  it.each<[string, CanaryStep[], CanaryStep[]]>([
    ['a step', [{ partition: 1 }], [{ partition: 2 }]],
    ['the order of steps', [{ partition: 2 }, { pause: {} }], [{ pause: {} }, { partition: 2 }]],
    ['a pause that gets a time', [{ pause: {} }], [{ pause: { duration: 1 } }]],
    [
      'an argument of a hook',
      [{ hook: { templateName: 't', args: [{ name: 'a', value: '1' }] } }],
      [{ hook: { templateName: 't', args: [{ name: 'a', value: '2' }] } }],
    ],
    ['no steps at all', [], [{ pause: {} }]],
  ])('is changed by %s', (_name, left, right) => {
    expect(hashSteps(left)).not.toBe(hashSteps(right));
  });
});

describe('toSteps', () => {
  it('leaves hook arguments behind and keeps the rest', () => {
    const steps = [
      { partition: '50%', pause: {} },
      { pause: { duration: 60 }, hook: { templateName: 'drain', args: [{ name: 'token', value: 'secret' }] } },
    ];
    expect(toSteps({ updateStrategy: { canary: { steps } } })).toEqual([
      { partition: '50%', pause: {} },
      { pause: { durationSeconds: 60 }, hook: { templateName: 'drain' } },
    ]);
  });

  it('answers none for a spec without a strategy', () => {
    expect(toSteps({})).toEqual([]);
  });
});
