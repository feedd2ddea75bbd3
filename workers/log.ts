/** The log of a process: one JSON object a line on standard output. What Temporal's SDK says goes the same way. */
import type { Logger as TemporalLogger } from '@temporalio/worker';
import { type Logger, pino } from 'pino';

export function createLog(level: string, bindings: Record<string, string>): Logger {
  return pino({ level, base: bindings, timestamp: pino.stdTimeFunctions.isoTime });
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

export function temporalLogger(log: Logger): TemporalLogger {
  const at = (level: keyof typeof LEVELS) => (message: string, meta?: object) =>
    log[LEVELS[level]]({ ...meta }, message);
  const [trace, debug, info, warn, error] = [at('TRACE'), at('DEBUG'), at('INFO'), at('WARN'), at('ERROR')];
  return { trace, debug, info, warn, error, log: (level, message, meta) => at(level)(message, meta) };
}
