/** Histories that every later release has to replay, as the temporal CLI shows them. */
import { writeFileSync } from 'node:fs';

const HISTORIES = new URL('../histories/', import.meta.url);

/** Keeps a history under its name. Stack traces tell where a checkout lies, and no replay reads them. */
export function keepHistory(name: string, shown: string): void {
  const history: unknown = JSON.parse(shown, (key, value: unknown) => (key === 'stackTrace' ? '' : value));
  writeFileSync(new URL(`${name}.json`, HISTORIES), `${JSON.stringify(history)}\n`);
}
