import { Connection } from 'mongodb/lib/cmap/connection.js';

/** Rejects a write when the socket closes; the driver would wait for ever for `drain` (docs/adr/0014). */
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
