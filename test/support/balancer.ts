// A balancer of connections like a Kubernetes Service: a new connection goes to a ready process, and stays there for as
// long as both sides keep it, even when the process no longer gets new ones.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const probeEveryMs = 1_000;
const probeTimeoutMs = 5_000;

interface Backend {
  port: number;
  isReady: boolean;
  probing: NodeJS.Timeout | undefined;
}

export interface Balancer extends AsyncDisposable {
  url: string;
  /** New connections for which no process was available. */
  refused: number;
  /** Probes a process; resolves once it is ready and gets connections. */
  add(port: number): Promise<void>;
  /** Sends it no new connections, like the removal of an endpoint. */
  remove(port: number): void;
}

export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<number, Backend>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const next = (): Backend | undefined => {
    const ready = [...backends.values()].filter(({ isReady }) => isReady);
    turn += 1;
    return ready[turn % Math.max(1, ready.length)];
  };
  const server = createServer((caller) => {
    const backend = next();
    const process = backend && connect(backend.port, '127.0.0.1');
    const sides = [caller, ...(process === undefined ? [] : [process])];
    for (const side of sides) {
      sockets.add(side);
      side.setNoDelay(true);
      side.on('error', () => sides.forEach((each) => each.destroy()));
      side.on('close', () => {
        sockets.delete(side);
        sides.forEach((each) => each.destroySoon());
      });
    }
    if (process === undefined) {
      balancer.refused += 1;
      caller.destroy();
      return;
    }
    const refused = (): void => void (balancer.refused += 1);
    process.once('error', refused).once('connect', () => process.off('error', refused));
    caller.pipe(process).pipe(caller);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: 0,
    async add(port) {
      const backend: Backend = { port, isReady: false, probing: undefined };
      backends.set(port, backend);
      await new Promise<void>((resolve) => {
        const probe = async (): Promise<void> => {
          backend.isReady = await isReady(port);
          if (backend.isReady) resolve();
          if (backends.has(port)) backend.probing = setTimeout(() => void probe(), probeEveryMs);
        };
        void probe();
      });
    },
    remove(port) {
      clearTimeout(backends.get(port)?.probing);
      backends.delete(port);
    },
    async [Symbol.asyncDispose]() {
      for (const port of backends.keys()) balancer.remove(port);
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return balancer;
}

async function isReady(port: number): Promise<boolean> {
  const options = {
    host: '127.0.0.1',
    port,
    path: '/readyz',
    agent: false,
    timeout: probeTimeoutMs,
  };
  return new Promise((resolve) => {
    const request = get(options, (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
