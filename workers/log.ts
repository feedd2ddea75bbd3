/** The log of a process: one JSON object a line on standard output. What Temporal's SDK says goes the same way. */
import type { LogLevel, Logger as TemporalLogger } from '@temporalio/worker';
import { type Logger, pino } from 'pino';

export function createLog(level: string, bindings: Record<string, string>): Logger {
  return pino({ level, base: bindings, timestamp: pino.stdTimeFunctions.isoTime });
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
/** Said by each worker at its start; true by design. */
const NO_NEWS = /^No (workflows|Nexus services|activities) registered/;

/** `floor`: what is below it is logged for debugging only. */
export function temporalLogger(log: Logger, floor: 'info' | 'warn' = 'info'): TemporalLogger {
  const say = (level: LogLevel, message: string, meta?: object) => {
    const isMinor = NO_NEWS.test(message) || (floor === 'warn' && level === 'INFO');
    log[isMinor ? 'debug' : LEVELS[level]]({ ...meta }, message);
  };
  const at = (level: LogLevel) => (message: string, meta?: object) => say(level, message, meta);
  const levels = { trace: at('TRACE'), debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') };
  return { ...levels, log: say };
}
