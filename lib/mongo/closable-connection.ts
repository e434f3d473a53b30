// A connection of the MongoDB driver on which no write outlasts its socket (docs/adr/0017).
import { Connection } from 'mongodb/lib/cmap/connection.js';

/**
 * The driver waits for `drain` after a write that the socket did not take whole, but not for `close`: when
 * the socket closes between its check and its write, or before it drains, the command would never end.
 */
export class ClosableConnection extends Connection {
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
