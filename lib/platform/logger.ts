import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { Log, LogSubject } from './log-events.ts';
import { LogWriter } from './log-writer.ts';
import { maskSecrets } from './mask-secrets.ts';

// Read before config.ts, because a faulty configuration has to be logged, too.
const level = process.env['HERALD_LOG_LEVEL'] ?? 'info';

// Reading `process.stdout` has a side effect: a pipe then does not block.
const writer = new LogWriter(process.stdout.fd, (count) => {
  processLog.warn({ count }, 'log.dropped');
});
// Node emits it after process.exit, an uncaught error and a natural end alike.
process.on('exit', () => writer.writeBeforeExit());

const root = pino(
  {
    level: pino.levels.values[level] === undefined && level !== 'silent' ? 'info' : level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceOfLine,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: maskSecrets },
  },
  writer,
);

// Only for a span that has not ended: work it started may go on for hours.
function traceOfLine(): { traceId?: string } {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? { traceId: span.spanContext().traceId } : {};
}

const logOf = <Subject extends LogSubject>(subject: Subject): Log<Subject> =>
  root.child({ subject });

export const httpLog = logOf('http');
export const deliveryLog = logOf('delivery');
export const dispatchLog = logOf('dispatch');
export const relayLog = logOf('relay');
export const statisticsLog = logOf('statistics');
export const streamLog = logOf('stream');
export const processLog = logOf('process');
export const tokenLog = logOf('token');
export const temporalLog = logOf('temporal');
