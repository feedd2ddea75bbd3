/**
 * JSON as the API server writes it itself. What it keeps as raw text (the `data` of a ControllerRevision) it writes anew
 * when somebody patches anything of the object, and it takes other bytes for a change of what must not change: an orphan
 * delete would wait for ever.
 */

/** These stand in JSON as they are, but a Go program escapes them. */
const ESCAPED = /[<>&\u2028\u2029]/g;

export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(ESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
