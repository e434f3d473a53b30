import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { LogWriter } from './log-writer.ts';
import { maskSecrets } from './mask-secrets.ts';

// Read before config.ts, because a faulty configuration has to be logged, too.
const level = process.env['HERALD_LOG_LEVEL'] ?? 'info';

// Reading `process.stdout` has an effect, too: a pipe then does not block.
const writer = new LogWriter(process.stdout.fd, (count) => {
  processLog.warn({ count }, 'log.dropped');
});
// Node emits it after process.exit, an uncaught error and the natural end alike.
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

// Of a span that has not ended: what it began may go on for hours.
function traceOfLine(): { traceId?: string } {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? { traceId: span.spanContext().traceId } : {};
}

export const httpLog = root.child({ subject: 'http' });
export const deliveryLog = root.child({ subject: 'delivery' });
export const dispatchLog = root.child({ subject: 'dispatch' });
export const relayLog = root.child({ subject: 'relay' });
export const statisticsLog = root.child({ subject: 'statistics' });
export const streamLog = root.child({ subject: 'stream' });
export const processLog = root.child({ subject: 'process' });
export const tokenLog = root.child({ subject: 'token' });
export const temporalLog = root.child({ subject: 'temporal' });
