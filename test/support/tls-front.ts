// A TLS server in front of a server without TLS. It accepts only clients with a certificate of its authority.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { makeAuthority } from './certificates.ts';

export interface TlsFront extends AsyncDisposable {
  port: number;
  /** PEM files: the authority of both sides, and a client certificate with its key. */
  authorityFile: string;
  clientFile: string;
}

/** Starts one on a free port. `serverNames` are the names in its certificate. */
export async function startTlsFront(target: URL, serverNames: string): Promise<TlsFront> {
  const authority = makeAuthority('Databases');
  const folder = mkdtempSync(join(tmpdir(), 'herald-front-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const client = authority.issue('herald', { serverNames: 'DNS:herald' });
  const { certificate, key } = authority.issue('Front', { serverNames });
  const sockets = new Set<Socket>();
  const options = { cert: certificate, key, ca: authority.certificate, requestCert: true };
  const server = createServer({ ...options, rejectUnauthorized: true }, (socket) => {
    const onward = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    authorityFile: file('ca.pem', authority.certificate),
    clientFile: file('client.pem', client.certificate + client.key),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      authority[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
