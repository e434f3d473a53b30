// Bounds the connections of a server, and makes room among the idle ones when they run out.
import type { Server } from 'node:http';
import { httpLog } from '../../lib/logger.ts';

const tellEveryMs = 1_000;

/**
 * Closes connections beyond `connectionsMax` at once. Those that idle between two requests then go,
 * too, so that nobody keeps others out by holding connections open; one log line a second tells of it.
 */
export function limitConnections(server: Server, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  let dropped = 0;
  server.on('drop', () => {
    dropped += 1;
    if (dropped > 1) return;
    server.closeIdleConnections();
    const tell = (): void => {
      httpLog.warn({ dropped, connectionsMax }, 'connections.dropped');
      dropped = 0;
    };
    setTimeout(tell, tellEveryMs).unref();
  });
}
