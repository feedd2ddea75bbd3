/** Durations and templates: the small languages of a metric's texts. */
import { describe, expect, it, vi } from 'vitest';
import { parseDurationMs } from './duration.ts';
import { renderJobSpec } from './job-spec.ts';
import { argumentNames, renderTemplate, TemplateError, templateRenderer } from './template.ts';
import { validateHookRun } from './validation.ts';

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

  const wide = new Map([['a', 'x'.repeat(65_536)]]);
  const TOO_LONG = 'with its arguments the text is longer than 1048576 characters';

  it('a text has a length, and is given up as soon as it has more', () => {
    expect(renderTemplate('{{args.a}}'.repeat(16), wide)).toHaveLength(1_048_576);
    const asked = vi.spyOn(wide, 'get');
    expect(() => renderTemplate('{{args.a}}'.repeat(6_000), wide)).toThrow(TemplateError);
    expect(asked).toHaveBeenCalledTimes(17);
    asked.mockRestore();
    expect(() => renderTemplate(`{{args.a}}${'y'.repeat(1_000_000)}`, wide)).toThrow(TOO_LONG);
  });

  it('texts of one request have it together', () => {
    const render = templateRenderer(wide);
    for (let time = 0; time < 16; time += 1) expect(render('{{args.a}}')).toHaveLength(65_536);
    expect(() => render('z')).toThrow(TOO_LONG);
  });

  it('those of a Job, too', () => {
    const containers = [{ name: 'c', image: 'i', args: Array(17).fill('{{args.a}}') }];
    expect(() => renderJobSpec({ template: { spec: { containers } } }, wide)).toThrow(TOO_LONG);
  });

  it('a run says so before anything is asked; each metric has it anew', () => {
    const web = (times: number) => ({
      web: { url: 'http://g', method: 'POST' as const, body: '{{args.a}}'.repeat(times) },
    });
    const metrics = [15, 15, 17].map((times, index) => ({ name: `m${index}`, provider: web(times) }));
    const problems = validateHookRun({ metrics, args: [{ name: 'a', value: 'x'.repeat(65_536) }] });
    const message = `${TOO_LONG.charAt(0).toUpperCase()}${TOO_LONG.slice(1)}.`;
    expect(problems).toEqual([{ kind: 'Invalid', path: 'spec.metrics[2].provider.web.body', message }]);
  });
});
