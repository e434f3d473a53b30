import { SpanKind } from '@opentelemetry/api';
import { inSpan, type SpanFacts } from '../telemetry/spans.ts';
import { spanUnderWay } from '../telemetry/trace-context.ts';
import { MeasuredConnection } from './measured-connection.ts';

/** Makes a span of each command in a recorded trace (docs/adr/0032). */
export class TracedConnection extends MeasuredConnection {
  override async command(...args: Parameters<MeasuredConnection['command']>): Promise<unknown> {
    if (spanUnderWay() === null) return super.command(...args);
    const [{ db }, command] = args;
    return inSpan(spanOf(db, command), () => super.command(...args));
  }
}

// What it does to which collection, and nothing of its values. The first field of a command names it.
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
