import { once } from 'node:events';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { errorCode } from '../platform/error-code.ts';
import type { AddressGuard } from './address-guard.ts';
import { type AttemptScope, beginPhase, endPhase } from './attempt-trace.ts';
import {
  type ClientCertificate,
  handshakeOptions,
  secureContextWith,
} from './client-certificate.ts';
import { type EgressProxy, openTunnel } from './egress-proxy.ts';
import { withoutTrailingDot } from './host-name.ts';
import { type HostResolver, requireAllowed } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

export interface SocketOpener {
  readonly guard: AddressGuard;
  readonly hosts: HostResolver;
  readonly proxy: EgressProxy | null;
  readonly ca: string | undefined;
  readonly clientCertificate: ClientCertificate | null;
}

type Opening = SocketOpener & AttemptScope;

/** A name with thousands of addresses must not keep an attempt dialling. */
const addressesPerFamilyMax = 2;

/** How long one address has before the next is tried (RFC 8305 §5). */
const addressAttemptMs = 1_000;

/** Throws a SendFault, the signal's reason, or what the resolver or the socket reports. */
export async function openSocket(
  url: URL,
  opener: SocketOpener,
  scope: AttemptScope,
): Promise<Socket> {
  const opening = { ...opener, ...scope };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const addresses = firstOfEachFamily(await resolve(host, opening));
  const socket = await reach(url, addresses, opening);
  try {
    return url.protocol === 'https:' ? await shakeHands(socket, host, opening) : socket;
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
  const { proxy, trace } = opening;
  beginPhase(trace, 'connect');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const socket =
    proxy === null
      ? await dial({ host: url.hostname, port, addresses }, opening)
      : await tunnel({ port, addresses }, proxy, opening);
  endPhase(trace);
  return socket;
}

interface DialTarget {
  readonly port: number;
  readonly addresses: readonly string[];
}

async function dial(
  { host, port, addresses }: DialTarget & { readonly host: string },
  { guard, signal, trace }: Opening,
): Promise<Socket> {
  const socket = connectTcp({
    host: addresses.length === 1 ? (addresses[0] ?? '') : host,
    port,
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
    noDelay: true,
    keepAlive: false,
  });
  socket.on('connectionAttempt', (address: string) => {
    trace.address = address;
  });
  endOnError(socket);
  await eventOf(socket, 'connect', signal);
  const peer = socket.remoteAddress;
  try {
    if (peer === undefined) throw new PeerGone();
    trace.address = peer;
    // Whatever resolver and kernel did, this is who we are talking to.
    requireAllowed(peer, guard);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/** It accepted the connection and reset it at once: a fault that may pass, as any other reset. */
class PeerGone extends Error {
  readonly code = 'ECONNRESET';
}

async function tunnel(
  { port, addresses }: DialTarget,
  proxy: EgressProxy,
  { signal, trace }: AttemptScope,
): Promise<Socket> {
  for (const [index, address] of addresses.entries()) {
    trace.address = address;
    try {
      const socket = await openTunnel({ address, port }, proxy, signal);
      endOnError(socket);
      return socket;
    } catch (error) {
      const isLast = index === addresses.length - 1;
      if (isLast || errorCode(error) !== 'PROXY_REFUSED') throw error;
    }
  }
  throw new SendFault('ADDRESS_ABSENT', 'no address was given');
}

// This host may have no route for one of the families.
function firstOfEachFamily(addresses: readonly string[]): readonly string[] {
  const firstOf = (family: number): readonly string[] =>
    addresses.filter((address) => isIP(address) === family).slice(0, addressesPerFamilyMax);
  const chosen = new Set([...firstOf(6), ...firstOf(4)]);
  return addresses.filter((address) => chosen.has(address));
}

// Only the vetted addresses: a second lookup could have another answer.
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answers);
}

async function shakeHands(
  socket: Socket,
  host: string,
  { ca, clientCertificate, signal, trace }: Opening,
): Promise<Socket> {
  beginPhase(trace, 'tls');
  const secure = connectTls({
    socket,
    // Without it Node checks the certificate of a literal address against "localhost".
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

// An 'error' event that nobody hears would end the process, and Node leaves a TLS socket open after an alert.
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
