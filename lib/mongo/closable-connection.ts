import { Connection } from 'mongodb/lib/cmap/connection.js';

/**
 * After a write that the socket did not accept whole, the driver waits for `drain` but not for `close`: if
 * the socket closes before it drains, the command would never end (docs/adr/0014).
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
