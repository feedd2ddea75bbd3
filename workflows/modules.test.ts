/** All runs of a process share the modules of workflows (docs/adr/0021): none may keep anything of a run. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const IMPORT = /^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gms;

/** What workflows load, by following their imports: those of types are not loaded. */
function loaded(url: URL, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(url.href) || !existsSync(url)) return seen;
  const text = readFileSync(url, 'utf8');
  seen.set(url.href, text);
  for (const [, path = ''] of text.matchAll(IMPORT)) loaded(new URL(path, url), seen);
  return seen;
}

/** At the left margin: of the module, not of a function. A WeakMap by object holds nothing that another run could ask for. */
const STATE = [
  { what: 'a variable', sign: /^(?:export )?(?:let|var) /m },
  {
    what: 'a Map or Set that begins empty',
    sign: /^(?:export )?const \w+(?::[^=]+)? = new (?:Map|Set)(?:<[^=]*>)?\(\)/m,
  },
  { what: 'a list or record that begins empty', sign: /^(?:export )?const \w+(?::[^=]+)? = (?:\[\]|\{\});/m },
  {
    what: 'a regular expression that remembers where it was',
    sign: /^(?:export )?const \w+ = \/.*\/[a-z]*[gy][a-z]*;/m,
  },
];

it.each(STATE)('no module of a workflow keeps $what', ({ sign }) => {
  const modules = loaded(new URL('index.ts', import.meta.url));
  expect(modules.size).toBeGreaterThan(60);
  expect([...modules].filter(([, text]) => sign.test(text)).map(([href]) => href)).toEqual([]);
});
