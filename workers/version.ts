/** Which release this is. */
import { readFileSync } from 'node:fs';

/** `version` of package.json. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
