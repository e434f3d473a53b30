// A TCP connection to a server that can be closed for one process while others reach the server.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Gate extends AsyncDisposable {
  address: string;
  /** Cuts all connections and takes no more until it is opened. */
  close(): void;
  open(): void;
}

export async function startGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(`http://${target}`);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const onward = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      // Its close follows.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      isOpen = false;
      cutAll();
    },
    open() {
      isOpen = true;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cutAll();
      await closed;
    },
  };
}
