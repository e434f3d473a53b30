// A tunnel through the operator's proxy (HTTP CONNECT, RFC 9110 §9.3.6) to a vetted address.
import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { errorCode } from '../platform/error-code.ts';
import { parseUrl } from './parse-url.ts';
import { SendFault } from './send-fault.ts';

export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** The secret value of `Proxy-Authorization`. */
  readonly authorization: string | null;
}

const responseHeadBytesMax = 16 * 1024;

/** Throws an Error that does not repeat the text, which may contain a password. */
export function parseEgressProxy(text: string): EgressProxy {
  const url = parseUrl(text);
  const isPlain = url !== null && url.pathname === '/' && url.search === '' && url.hash === '';
  const credentials = url === null ? null : credentialsOf(url);
  if (url?.protocol !== 'http:' || url.hostname === '' || !isPlain || credentials === null) {
    throw new Error('must be http://host:port or http://user:password@host:port');
  }
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    authorization:
      credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function credentialsOf({ username, password }: URL): string | null {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return null;
  }
}

/**
 * Tunnels to an address that passed the guard, because the proxy would resolve a name unchecked. Throws the SendFault
 * `PROXY_REFUSED` or `PROXY_FAILED`, or the signal's reason if it aborts.
 */
export function openTunnel(
  { address, port }: { readonly address: string; readonly port: number },
  proxy: EgressProxy,
  signal: AbortSignal,
): Promise<Socket> {
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const { authorization } = proxy;
  const connectRequest = request({
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
    },
    agent: false,
    maxHeaderSize: responseHeadBytesMax,
    signal,
  });
  let isReached = false;
  connectRequest.once('socket', (socket) => {
    socket.once('connect', () => {
      isReached = true;
    });
  });
  return new Promise((resolve, reject) => {
    connectRequest.once('connect', ({ statusCode = 0, headers }, socket: Socket, early: Buffer) => {
      // Neither TLS nor HTTP lets a receiver speak first, so early bytes are not the receiver's.
      if (statusCode >= 200 && statusCode < 300 && early.length === 0) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusal(statusCode, headers['proxy-authenticate'] !== undefined));
    });
    connectRequest.on('error', (error) => {
      // If the proxy was not reached in time, the receiver is not to blame.
      if (isReached && signal.aborted) reject(signal.reason);
      else reject(new SendFault('PROXY_FAILED', `the egress proxy failed: ${errorCode(error)}`));
    });
    connectRequest.end();
  });
}

function refusal(status: number, wantsCredentials: boolean): SendFault {
  return status === 407 && wantsCredentials
    ? new SendFault('PROXY_FAILED', 'the egress proxy does not accept our credentials')
    : new SendFault('PROXY_REFUSED', `the egress proxy responded ${status}`);
}
