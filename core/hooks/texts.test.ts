/** Durations and templates: the small languages of a metric's texts. */
import { describe, expect, it } from 'vitest';
import { parseDurationMs } from './duration.ts';
import { argumentNames, renderTemplate } from './template.ts';

describe('durations', () => {
  const table: [string, number | undefined][] = [
    ['60s', 60_000],
    ['1h30m', 5_400_000],
    ['1.5m', 90_000],
    ['.5s', 500],
    ['2.s', 2000],
    ['300ms', 300],
    ['5us', 0.005],
    ['0', 0],
    ['0s', 0],
    ['', undefined],
    ['5', undefined],
    ['s', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5d', undefined],
    ['1h30', undefined],
  ];
  it.each(table)('%s', (text, want) => {
    expect(parseDurationMs(text)).toBe(want);
  });
});

describe('91: templates', () => {
  const args = new Map([
    ['name', 'n'],
    ['PodContainer[0]', 'game'],
    ['evil', '{{ args.name }}'],
    ['empty', ''],
  ]);
  const rendered: [string, string][] = [
    ['{{args.name}}', 'n'],
    ['http://{{ args.name }}:8080/{{args.name}}', 'http://n:8080/n'],
    ['{{ args.PodContainer[0] }}', 'game'],
    ['{{ args.evil }}', '{{ args.name }}'],
    ['[{{ args.empty }}]', '[]'],
    ['no tag }}', 'no tag }}'],
  ];
  it.each(rendered)('%s', (text, want) => {
    expect(renderTemplate(text, args)).toBe(want);
  });

  const refused: [string, string][] = [
    ['{{123', 'a {{ is not closed'],
    ['{{ args.other }}', 'the argument other has no value'],
    ['{{}}', 'not of the form'],
    ['{{ args. }}', 'not of the form'],
    ['{{ name }}', 'not of the form'],
    ['{{ args.name }} {{', 'a {{ is not closed'],
    ['{{ args.constructor }}', 'the argument constructor has no value'],
  ];
  it.each(refused)('%s is refused', (text, message) => {
    expect(() => renderTemplate(text, args)).toThrow(message);
  });

  it('names the arguments it asks for', () => {
    expect(argumentNames('{{ args.a }}-{{args.b}}')).toEqual(['a', 'b']);
  });
});
