import { SpanKind } from '@opentelemetry/api';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { instruments } from '../telemetry/instruments.ts';
import { inSpan, type SpanFacts } from '../telemetry/spans.ts';
import { recordingSpan } from '../telemetry/trace-context.ts';

/**
 * The driver's connection, extended to measure each command and trace it in a recorded trace (docs/adr/0032). It also
 * rejects a write when the socket closes: the driver would wait for `drain` without end (docs/adr/0014).
 */
export class ObservedConnection extends Connection {
  override async command(...args: Parameters<Connection['command']>): Promise<unknown> {
    const [{ db }, command] = args;
    const send = () => measure(command, () => super.command(...args));
    return recordingSpan() === null ? send() : inSpan(spanOf(db, command), send);
  }

  override async writeCommand(...args: Parameters<Connection['writeCommand']>): Promise<void> {
    let onClose = (): void => undefined;
    const closed = new Promise<never>((_resolve, reject) => {
      onClose = () => reject(this.error ?? new Error('the connection closed'));
      this.once('close', onClose);
    });
    try {
      await Promise.race([super.writeCommand(...args), closed]);
    } finally {
      this.off('close', onClose);
    }
  }
}

// The driver's own command monitoring would parse each response a second time.
async function measure(command: object, send: () => Promise<unknown>): Promise<unknown> {
  // The next page of a change stream takes long when nothing has changed.
  if ('getMore' in command && 'maxTimeMS' in command) return send();
  // The first field of a command names it.
  const name = { 'db.operation.name': Object.keys(command)[0] ?? '' };
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  try {
    const result = await send();
    instruments.databaseDuration.record(seconds(), name);
    return result;
  } catch (error) {
    const type = error instanceof Error ? error.name : 'Error';
    instruments.databaseDuration.record(seconds(), { ...name, 'error.type': type });
    throw error;
  }
}

// Contains the operation and the collection, but no values.
function spanOf(db: string, command: object): SpanFacts {
  const [[operation, named] = ['command'], ...others] = Object.entries(command);
  const [, ofCursor] = others.find(([field]) => field === 'collection') ?? [];
  const names: unknown[] = [named, ofCursor];
  const collection = names.find((name) => typeof name === 'string');
  return {
    name: collection === undefined ? operation : `${operation} ${collection}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': db,
      'db.operation.name': operation,
      ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    },
  };
}
