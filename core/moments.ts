/** Timestamps of the API as epoch milliseconds. */

/** NaN where the text is missing or no timestamp; a time that nobody has set is null in what the API answers. */
export function momentOf(text: string | null | undefined): number {
  if (text === undefined || text === null) return Number.NaN;
  return hasPlainForm(text) ? plainMoment(text) : Date.parse(text);
}

/** `2026-11-30T12:00:00Z`: the API writes nearly all of them so. */
const hasPlainForm = (text: string): boolean =>
  text.length === 20 &&
  text[4] === '-' &&
  text[7] === '-' &&
  text[10] === 'T' &&
  text[13] === ':' &&
  text[16] === ':' &&
  text[19] === 'Z';

/** A plan reads thousands of them, and Date.parse takes several times as long. */
function plainMoment(text: string): number {
  const year = pairAt(text, 0) * 100 + pairAt(text, 2);
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  const hour = pairAt(text, 11);
  const minute = pairAt(text, 14);
  const second = pairAt(text, 17);
  const isDate = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const isTime = hour < 24 && minute < 60 && second < 60;
  if (!isDate || !isTime) return Date.parse(text);
  return (((daysUntil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

/** Since 1970; years are counted from March on, so that the leap day is the last one of its year. */
function daysUntil(year: number, month: number, day: number): number {
  const full = month > 2 ? year : year - 1;
  const monthsSinceMarch = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(full / 4) - Math.floor(full / 100) + Math.floor(full / 400);
  return full * 365 + leapDays + Math.floor((monthsSinceMarch * 153 + 2) / 5) + day - 719_469;
}

/** The number that two digits are; NaN where they are none. */
function pairAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
