/** Text in columns, and ages, as kubectl prints them. Pure. */

const GAP = '   ';

/** Rows under their headings; cells never break the line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map((cell) => cell.replace(/\s+/g, ' ').trim()));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** `45s`, `12m`, `5h`, `3d`. */
export function age(fromMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - fromMs) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** The same for a time as Kubernetes writes it; empty where there is none. */
export function ageOf(time: string | undefined, nowMs: number): string {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? '' : age(ms, nowMs);
}

/** How long it is until a time as Kubernetes writes it: `12s`, `now` where it has come; empty where there is none. */
export function untilTime(time: string | undefined, nowMs: number): string {
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) return '';
  return ms <= nowMs ? 'now' : age(nowMs, ms);
}
