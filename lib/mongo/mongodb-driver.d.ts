// Missing in the driver's types.
declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';

  export class Connection extends EventEmitter {
    error: Error | null;
    command(...args: [ns: { db: string }, command: object, ...rest: unknown[]]): Promise<unknown>;
    writeCommand(command: unknown, options: unknown): Promise<void>;
  }
}
