/** kubectl's JSONPath: what it finds, what it misses, what is none; bounded whatever the document is. */
import { describe, expect, it, vi } from 'vitest';
import { JsonPathError, parseJsonPath, readJsonPath } from './json-path.ts';

describe('JSONPath as kubectl has it', () => {
  const document = {
    ...{ age: 45, name: 'n', 'x.y': true, none: null, list: [1, 2], long: [1, 2, 3, 4, 5], limit: 7 },
    a: { b: [{ c: 1 }, { c: 'two', d: 'only here' }] },
    annotations: { 'game.example/state': 'drained' },
    pods: [
      { name: 'p-0', ready: true, players: 7, tags: ['x'] },
      { name: 'p-1', ready: false, players: 0, labels: { 'a]b': '=x' }, tags: ['y'] },
      { name: 'p-2', ready: true, players: 0, draining: null, tags: ['z'] },
    ],
  };
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
    ['{.long[0:2]}', '1 2'],
    ['{.long[-2:]}', '4 5'],
    ['{.long[:-3]}', '1 2'],
    ['{.long[::2]}', '1 3 5'],
    ['{.long[1:4:2]}', '2 4'],
    ['{.long[0,-1]}', '1 5'],
    ["{['age','name']}", '45 n'],
    ['{..c}', '1 two'],
    ['{.a..c}', '1 two'],
    ['{..b[0].c}', '1'],
    ['{.a.b[*].d}', 'only here'],
    ['{.pods[?(@.ready==true)].name}', 'p-0 p-2'],
    ['{.pods[?(@.players>0)].name}', 'p-0'],
    ['{.pods[?(@.players <= 0)].name}', 'p-1 p-2'],
    ["{.pods[?(@.name!='p-0')].players}", '0 0'],
    ["{.pods[?(@['name']   ==   'p-0'  )].players}", '7'],
    ["{.pods[?('p==0' != @.name)].players}", '7 0 0'],
    ['{.pods[?(@.name=="p-1")].players}', '0'],
    ['{.pods[?(@.players==$.limit)].name}', 'p-0'],
    ['{.pods[?(@.draining)].name}', 'p-2'],
    ['{.pods[?(@.labels["a]b"]=="=x")].name}', 'p-1'],
    ['{range .pods[*]}{.name}={.players}{"\\n"}{end}', 'p-0=7\np-1=0\np-2=0\n'],
    ['{range .pods[*]}{range .tags[*]}{@}/{$.age} {end}{end}', 'x/45 y/45 z/45 '],
    ['{.annotations.game\\.example/state}', 'drained'],
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
    ['{.list[0:3]}', 'items 0 to 3 of a list of 2'],
    ['{.list[2:1]}', 'items 2 to 1'],
    ['{..nothing}', 'there is no nothing'],
    ['{.pods[?(@.players > 100)]}', 'no item passes the filter'],
    ['{.pods[?(@.name > 1)]}', 'compares by > what are not two numbers or two texts'],
    ['{.pods[?(@.tags[*] == "x")].nothing}', 'there is no nothing'],
    ['{.name[?(@.a)]}', 'no item passes the filter'],
    ['{.age[0:1]}', 'there is no list'],
  ];
  it.each(missing)('%s finds nothing', (source, message) => {
    expect(() => readJsonPath(parseJsonPath(source), document)).toThrow(message);
  });

  const refused: [string, string][] = [
    ['$.age', 'no {…}'],
    ['', 'no {…}'],
    ['{$.age', 'not closed'],
    ['{}', 'empty'],
    ["{$['x}", 'not closed'],
    ['{.a..}', 'not understood from ..'],
    ['{.list[}', 'not closed'],
    ['{.list[]}', 'not understood from [] on'],
    ['{.list[1:2:3:4]}', 'not understood from [1:2:3:4] on'],
    ['{.list[::0]}', 'a slice goes forward'],
    ['{.list[one]}', 'not understood from [one] on'],
    ['{.list[?(@.c == two)]}', 'a filter compares paths, numbers, true, false and quoted text, not two'],
    ['{.list[?(@.c == 1 && @.d == 2)]}', 'a filter compares'],
    ['{.list[?()]}', 'a filter compares'],
    ['{range .a}', 'a {range} of the JSONPath has no {end}'],
    ['{.a}{end}', 'an {end} of the JSONPath has no {range}'],
    ['{range}{end}', 'not understood from range on'],
    ['{"only text"}', 'no {…}'],
    [`${'{range .a}'.repeat(9)}${'{end}'.repeat(9)}`, 'nested too deeply'],
    [`{$${'[?(@'.repeat(9)}${')]'.repeat(9)}}`, 'nested too deeply'],
    [`{$${'[?(1 == @'.repeat(9)}${')]'.repeat(9)}}`, 'nested too deeply'],
    ['{.list[?(@.c ! 1)]}', 'not understood'],
    ["{.list[?(@.c == 'x)]}", 'not closed'],
  ];
  it.each(refused)('%s is refused', (source, message) => {
    expect(() => parseJsonPath(source)).toThrow(JsonPathError);
    expect(() => parseJsonPath(source)).toThrow(message);
  });

  it('a path has a length, however it is nested, and filters have a depth', () => {
    expect(() => parseJsonPath(`{.${'a'.repeat(4100)}}`)).toThrow('longer than 4096 characters');
    expect(() => parseJsonPath(`{$${'[?(@'.repeat(20_000)}`)).toThrow('longer than 4096 characters');
    expect(parseJsonPath(`{$${'[?(@'.repeat(8)}.a${')]'.repeat(8)}}`).pieces).toHaveLength(1);
    expect(() => parseJsonPath(`{.a[?(@.b${' '.repeat(4000)}!)]}`)).toThrow(JsonPathError);
  });

  it('a document that is as deep as it is long has a verdict', () => {
    const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(() => readJsonPath(parseJsonPath('{$}'), nested(150_000))).toThrow('nested too deeply');
    expect(() => readJsonPath(parseJsonPath('{..a}'), nested(50_000))).toThrow('there is no a');
  });

  it.each(['{..*..*..*}', '{..[*]..[*]}', '{range ..*}{range $..*}{@}{end}{end}'])(
    '%s looks at no more than it may',
    (path) => {
      const wide = { a: Array.from({ length: 20_000 }, (_item, index) => ({ b: { c: { d: index } } })) };
      expect(() => readJsonPath(parseJsonPath(path), wide)).toThrow(
        /looks at more than 200000 values|brings back too much/,
      );
    },
  );

  it('a text that doubles itself is bounded', () => {
    const document = { list: Array.from({ length: 3000 }, () => 'x'.repeat(1000)) };
    expect(() => readJsonPath(parseJsonPath('{range .list[*]}{@}{end}'), document)).toThrow('brings back too much');
  });

  it('texts that are too much together are not all made first', () => {
    let document: unknown = 'x'.repeat(900_000);
    for (let depth = 0; depth < 30; depth += 1) document = { a: document };
    const made = vi.spyOn(JSON, 'stringify');
    try {
      expect(() => readJsonPath(parseJsonPath('{..a}'), document)).toThrow('brings back too much');
      expect(made.mock.calls.length).toBeLessThan(5);
    } finally {
      made.mockRestore();
    }
  });

  const wide = Array.from({ length: 40_000 }, (_item, index) => ({ id: `${index}` }));
  const long = { a: 'x'.repeat(400_000), l: [{ a: `${'x'.repeat(399_999)}y` }] };
  it.each<[string, string, unknown]>([
    ['a union of names that are nowhere', `{..[${"'no',".repeat(500)}'no']}`, wide],
    ['comparisons of long texts', `{[${"'l',".repeat(600)}'l'][?(@.a == $.a)]}`, long],
    ['pieces without text', `{range [*]}${'{""}'.repeat(500)}{end}`, wide],
  ])('%s are work that is counted', (_title, path, document) => {
    expect(() => readJsonPath(parseJsonPath(path), document)).toThrow(
      /looks at more than 200000 values|brings back too much/,
    );
  });

  it('no text makes it slow or throws anything else', () => {
    const signs = [
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      '?',
      '@',
      '$',
      '.',
      '..',
      '*',
      ':',
      ',',
      "'",
      '"',
      '\\',
      '==',
      ' ',
      'a',
      '1',
      'range ',
      'end',
    ];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 20_000; round += 1) {
      const source = `{${Array.from({ length: next(12) }, () => signs[next(signs.length)]).join('')}}`;
      try {
        readJsonPath(parseJsonPath(source), document);
      } catch (error) {
        if (!(error instanceof JsonPathError)) throw new Error(`${source}: ${error}`);
      }
    }
  });
});
