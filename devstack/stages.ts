/** Puts the stages of stages/*.yaml, with the files they include, into one configuration that kwok reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

const STAGES_DIR = join(import.meta.dirname, 'stages');
const INCLUDE = /@include (\S+)/g;

/** All stages as YAML documents, every "@include F" replaced by the text of F. @throws Error when a file is no YAML. */
export function composeStages(dir: string = STAGES_DIR): string {
  const files = readdirSync(dir).filter((file) => file.endsWith('.yaml'));
  return files.flatMap((file) => readStages(dir, file)).join('---\n');
}

function readStages(dir: string, file: string): string[] {
  const documents = parseAllDocuments(readFileSync(join(dir, file), 'utf8'));
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    const stage = document.toJS() as unknown;
    return stage === null ? [] : [stringify(expand(stage, dir))];
  });
}

function expand(value: unknown, dir: string): unknown {
  if (typeof value === 'string')
    return value.replace(INCLUDE, (_, name: string) => readFileSync(join(dir, name), 'utf8'));
  if (Array.isArray(value)) return value.map((item) => expand(item, dir));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, dir)]));
}
