/** What a command shows, as text for people or as data for scripts (`-o`). Pure. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { CannotStart } from '../workers/startup-error.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export interface OutputFlags {
  output: string;
}

/** What is shown: as text, and as data. */
export interface Shown {
  text: string;
  data: unknown;
}

export const addOutputOption = (command: Command): Command =>
  command.option('-o, --output <format>', FORMATS.join(', '), 'table');

/** @throws CannotStart with exit code 2 where there is no such format. */
export function readFormat({ output }: OutputFlags): Format {
  const format = FORMATS.find((each) => each === output);
  if (format !== undefined) return format;
  throw new CannotStart(`-o ${output}: must be ${FORMATS.join(', ')}`, { exitCode: 2 });
}

export const yamlOf = (data: unknown): string => stringify(data, { aliasDuplicateObjects: false, lineWidth: 0 });

/** What has no data is printed as its text in any format. */
export function printed({ text, data }: Shown, format: Format): string {
  switch (data === null ? 'table' : format) {
    case 'json':
      return `${JSON.stringify(data, null, 2)}\n`;
    case 'yaml':
      return yamlOf(data);
    case 'table':
      return `${text}\n`;
  }
}
