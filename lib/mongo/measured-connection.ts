import { instruments } from '../telemetry/instruments.ts';
import { ClosableConnection } from './closable-connection.ts';

// The first field of a command names it.
const nameOf = (command: object): string => Object.keys(command)[0] ?? '';

// The next page of a change stream is answered late when nothing has changed.
const waitsForNews = (command: object): boolean => 'getMore' in command && 'maxTimeMS' in command;

/** Measures commands; the driver's own monitoring would read each answer a second time. */
export class MeasuredConnection extends ClosableConnection {
  override async command(...args: Parameters<ClosableConnection['command']>): Promise<unknown> {
    if (waitsForNews(args[1])) return super.command(...args);
    const name = { 'db.operation.name': nameOf(args[1]) };
    const startedAt = performance.now();
    try {
      const answer = await super.command(...args);
      record(startedAt, name);
      return answer;
    } catch (error) {
      record(startedAt, { ...name, 'error.type': error instanceof Error ? error.name : 'Error' });
      throw error;
    }
  }
}

function record(
  startedAt: number,
  attributes: Parameters<typeof instruments.databaseDuration.record>[1],
): void {
  instruments.databaseDuration.record((performance.now() - startedAt) / 1_000, attributes);
}
