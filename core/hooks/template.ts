/**
 * `{{ args.NAME }}` in a text (game-workloads §3.4). One pass: what was inserted is never looked at again, so a value
 * cannot bring in another argument.
 */

/** A tag that has no meaning, which the message names; or too much text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const PREFIX = 'args.';
/** As much as an answer may be. A tag is nine characters, its value may be sixty thousand. */
const MAX_LENGTH = 1_048_576;

/** Fills arguments into one text after the other. */
export type Renderer = (text: string) => string;

/**
 * `text` with every tag replaced by its argument.
 * @throws TemplateError for an unclosed tag, a tag that is not `args.NAME`, an argument without a value, or more than 1 MiB.
 */
export function renderTemplate(text: string, args: ReadonlyMap<string, string>): string {
  return templateRenderer(args)(text);
}

/** For the texts of one request or Job: all of them together may become as long as one alone. */
export function templateRenderer(args: ReadonlyMap<string, string>): Renderer {
  let left = MAX_LENGTH;
  const take = (part: string) => {
    left -= part.length;
    if (left < 0) throw new TemplateError(`with its arguments the text is longer than ${MAX_LENGTH} characters`);
    return part;
  };
  return (text) => replaceTags(text, (name) => valueIn(args, name), take);
}

function valueIn(args: ReadonlyMap<string, string>, name: string): string {
  const value = args.get(name);
  if (value === undefined) throw new TemplateError(`the argument ${name} has no value`);
  return value;
}

/**
 * The arguments that `text` asks for.
 * @throws TemplateError for an unclosed tag or a tag that is not `args.NAME`.
 */
export function argumentNames(text: string): string[] {
  const names: string[] = [];
  replaceTags(text, (name) => {
    names.push(name);
    return '';
  });
  return names;
}

/** `take` is given each part before the next one is made. */
function replaceTags(text: string, replace: Renderer, take: Renderer = (part) => part): string {
  const [head = '', ...pieces] = text.split('{{');
  let replaced = take(head);
  for (const piece of pieces) {
    const end = piece.indexOf('}}');
    if (end < 0) throw new TemplateError('a {{ is not closed');
    replaced += take(replace(nameIn(piece.slice(0, end).trim())));
    replaced += take(piece.slice(end + 2));
  }
  return replaced;
}

function nameIn(tag: string): string {
  const name = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : '';
  if (name === '') throw new TemplateError(`{{ ${tag} }} is not of the form {{ args.NAME }}`);
  return name;
}
