/** What can be the name of an object: nothing else may become part of a path to the API server. Pure. */

const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export function isObjectName(text: string): boolean {
  return NAME.test(text) && !text.includes('..');
}
