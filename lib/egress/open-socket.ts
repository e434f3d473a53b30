import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AddressGuard } from './address-guard.ts';
import { type AttemptScope, beginPhase, endPhase } from './attempt-trace.ts';
import {
  type ClientCertificate,
  handshakeOptions,
  secureContextWith,
} from './client-certificate.ts';
import { type EgressProxy, openTunnel } from './egress-proxy.ts';
import { withoutTrailingDot } from './host-name.ts';
import { chooseAddresses, raceAddresses } from './race-addresses.ts';
import { type HostResolver, requireAllowed } from './resolve-host.ts';

export interface SocketOpener {
  readonly guard: AddressGuard;
  readonly hosts: HostResolver;
  readonly proxy: EgressProxy | null;
  readonly ca: string | undefined;
  readonly clientCertificate: ClientCertificate | null;
}

type Opening = SocketOpener & AttemptScope;

/** Throws a SendFault, the signal's reason, or the error of the resolver or the socket. */
export async function openSocket(
  url: URL,
  opener: SocketOpener,
  scope: AttemptScope,
): Promise<Socket> {
  const opening = { ...opener, ...scope };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const addresses = chooseAddresses(await resolve(host, opening));
  const socket = await reach(url, addresses, opening);
  try {
    return url.protocol === 'https:' ? await startTls(socket, host, opening) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function resolve(
  host: string,
  { hosts, signal, trace }: Opening,
): Promise<readonly string[]> {
  beginPhase(trace, 'dns');
  // An address needs no lookup.
  if (isIP(host) !== 0) trace.phaseStartedAt = null;
  const addresses = await hosts.addressesOf(host, signal);
  endPhase(trace);
  return addresses;
}

async function reach(url: URL, addresses: readonly string[], opening: Opening): Promise<Socket> {
  const { proxy, signal, trace } = opening;
  beginPhase(trace, 'connect');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const socket = await raceAddresses(addresses, {
    signal,
    open: (address, dialSignal) => {
      trace.address = address;
      const target = { address, port, signal: dialSignal };
      return proxy === null ? dial(target, opening) : tunnel(target, proxy);
    },
  });
  endPhase(trace);
  return socket;
}

interface DialTarget {
  /** A vetted address, because a second lookup could return another one. */
  readonly address: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

async function dial(
  { address, port, signal }: DialTarget,
  { guard, trace }: Opening,
): Promise<Socket> {
  const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: false });
  endOnError(socket);
  await eventOf(socket, 'connect', signal);
  const peer = socket.remoteAddress;
  try {
    if (peer === undefined) throw new PeerGone();
    trace.address = peer;
    // Whatever the resolver and the kernel did, this is the actual peer.
    requireAllowed(peer, guard);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/** The peer accepted the connection and reset it immediately: a transient fault, like any other reset. */
class PeerGone extends Error {
  readonly code = 'ECONNRESET';
}

async function tunnel({ signal, ...target }: DialTarget, proxy: EgressProxy): Promise<Socket> {
  const socket = await openTunnel(target, proxy, signal);
  endOnError(socket);
  return socket;
}

async function startTls(
  socket: Socket,
  host: string,
  { ca, clientCertificate, signal, trace }: Opening,
): Promise<Socket> {
  beginPhase(trace, 'tls');
  const secure = connectTls({
    socket,
    // Without it, Node checks the certificate of a literal address against "localhost".
    host: withoutTrailingDot(host),
    // RFC 6066 §3: a server name is never an address and has no trailing dot.
    servername: isIP(host) === 0 ? withoutTrailingDot(host) : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(clientCertificate === null
      ? { ...handshakeOptions, ...(ca === undefined ? {} : { ca }) }
      : { secureContext: secureContextWith(clientCertificate, ca) }),
  });
  endOnError(secure);
  await eventOf(secure, 'secureConnect', signal);
  endPhase(trace);
  return secure;
}

// An unhandled 'error' event would end the process, and Node leaves a TLS socket open after an alert.
function endOnError(socket: Socket): void {
  socket.on('error', () => socket.destroy());
}

async function eventOf(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}
