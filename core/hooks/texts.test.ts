/** Durations, templates and JSONPath: the small languages of a metric's texts. */
import { describe, expect, it } from 'vitest';
import { parseDurationMs } from './duration.ts';
import { JsonPathError, parseJsonPath, readJsonPath } from './json-path.ts';
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

describe('JSONPath as kubectl has it', () => {
  const document = { age: 45, name: 'n', a: { b: [{ c: 1 }, { c: 'two' }] }, 'x.y': true, none: null, list: [1, 2] };
  const found: [string, string][] = [
    ['{$.age}', '45'],
    ['{.name}', 'n'],
    ['{ $.age }', '45'],
    ['{$.a.b[0].c}', '1'],
    ['{$.a.b[-1].c}', 'two'],
    ['{$.a.b[*].c}', '1 two'],
    ["{$['x.y']}", 'true'],
    ['{$["name"]}', 'n'],
    ["{['age']}", '45'],
    ['{$.list}', '[1,2]'],
    ['{$.none}', 'null'],
    ['{$.list.*}', '1 2'],
    ['age={.age}, name={.name}.', 'age=45, name=n.'],
    ['{$.a.b[0]}', '{"c":1}'],
  ];
  it.each(found)('%s', (source, want) => {
    expect(readJsonPath(parseJsonPath(source), document)).toBe(want);
  });
  it('the whole document', () => {
    expect(readJsonPath(parseJsonPath('{$}'), 'text')).toBe('text');
    expect(readJsonPath(parseJsonPath('{.}'), { a: 1 })).toBe('{"a":1}');
  });

  const missing: [string, string][] = [
    ['{$.nothing}', 'there is no nothing'],
    ['{$.age.deep}', 'there is no deep'],
    ['{$.list[2]}', 'item 2 of a list of 2'],
    ['{$.list[-3]}', 'item -3 of a list of 2'],
    ['{$.age[*]}', 'list or object'],
    ['{$.constructor}', 'there is no constructor'],
    ['{$.__proto__}', 'there is no __proto__'],
    ['{$.list.length}', 'there is no length'],
  ];
  it.each(missing)('%s finds nothing', (source, message) => {
    expect(() => readJsonPath(parseJsonPath(source), document)).toThrow(message);
  });

  const refused: [string, string][] = [
    ['$.age', 'no {…}'],
    ['', 'no {…}'],
    ['{$.age', 'not closed'],
    ['{}', 'empty'],
    ['{$..age}', 'not understood from ..age'],
    ['{$.list[0:1]}', 'not understood from [0:1]'],
    ['{$.a.b[?(@.c==1)]}', 'not understood from [?('],
    ['{range .a}', 'not understood from range .a'],
    ["{$['x}", 'not closed'],
  ];
  it.each(refused)('%s is refused', (source, message) => {
    expect(() => parseJsonPath(source)).toThrow(JsonPathError);
    expect(() => parseJsonPath(source)).toThrow(message);
  });
});
