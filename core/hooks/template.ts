/**
 * `{{ args.NAME }}` in a text (game-workloads §3.4). One pass: what was inserted is never looked at again, so a value
 * cannot bring in another argument.
 */

/** A tag that has no meaning; the message names it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const PREFIX = 'args.';

/**
 * `text` with every tag replaced by its argument.
 * @throws TemplateError for an unclosed tag, a tag that is not `args.NAME`, or an argument without a value.
 */
export function renderTemplate(text: string, args: ReadonlyMap<string, string>): string {
  return replaceTags(text, (name) => {
    const value = args.get(name);
    if (value === undefined) throw new TemplateError(`the argument ${name} has no value`);
    return value;
  });
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

function replaceTags(text: string, replace: (name: string) => string): string {
  const [head = '', ...pieces] = text.split('{{');
  const rendered = pieces.map((piece) => {
    const end = piece.indexOf('}}');
    if (end < 0) throw new TemplateError('a {{ is not closed');
    return replace(nameIn(piece.slice(0, end).trim())) + piece.slice(end + 2);
  });
  return head + rendered.join('');
}

function nameIn(tag: string): string {
  const name = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : '';
  if (name === '') throw new TemplateError(`{{ ${tag} }} is not of the form {{ args.NAME }}`);
  return name;
}
