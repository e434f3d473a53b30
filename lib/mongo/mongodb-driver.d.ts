// The driver's connection, which its own types leave out.
declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';

  export class Connection extends EventEmitter {
    /** Why it closed; null while it is open. */
    error: Error | null;
    /** Resolves when the socket has taken the whole command. */
    writeCommand(command: unknown, options: unknown): Promise<void>;
  }
}
