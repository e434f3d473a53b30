import type { MongoClient } from 'mongodb';
import { processLimits } from '../limits.ts';
import { instruments } from '../telemetry/instruments.ts';

/** Reports the connections of a client in the metrics, until the returned function is called. */
export function observePool(client: MongoClient): () => void {
  const counts = { open: 0, used: 0, waiting: 0 };
  const change = (count: keyof typeof counts, by: 1 | -1) => (): void => {
    counts[count] += by;
  };
  client.on('connectionCreated', change('open', 1));
  client.on('connectionClosed', change('open', -1));
  client.on('connectionCheckOutStarted', change('waiting', 1));
  client.on('connectionCheckOutFailed', change('waiting', -1));
  client.on('connectionCheckedOut', () => {
    counts.waiting -= 1;
    counts.used += 1;
  });
  client.on('connectionCheckedIn', change('used', -1));
  const stops = [
    instruments.databaseConnections.observe((report) => {
      report(counts.used, { 'db.client.connection.state': 'used' });
      report(counts.open - counts.used, { 'db.client.connection.state': 'idle' });
    }),
    instruments.databaseConnectionsMax.observe((report) =>
      report(processLimits.mongoConnectionsMax, {}),
    ),
    instruments.databaseWaiting.observe((report) => report(counts.waiting, {})),
  ];
  return () => stops.forEach((stop) => stop());
}
